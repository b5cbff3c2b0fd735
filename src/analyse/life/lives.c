/* SPDX-License-Identifier: MIT */
/*
 * Open lives: found by key, each with its path so far and the time after each step. The scope of a
 * key is the value itself if that is one integer, else the number of its bytes in `tuples`, which
 * each open life holds. A life that has ended keeps the memory of its steps for the next one.
 */
#include "analyse/life/lives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "read/where.h"

#define STEPS_FIRST 4

/* True if all events of a life are of one thread: gaps of other threads do not concern it. */
static bool is_of_thread(const struct lives_options *o)
{
	bool has_tid = false;

	for (size_t i = 0; i < o->rules.by_count; i++) {
		const struct lives_field *f = &o->rules.by[i];

		has_tid |= f->count == 1 && strcmp(f->names[0], "@tid") == 0;
	}
	return has_tid && !o->is_across;
}

void lives_init(struct lives *l, const struct lives_options *options, struct reader *reader)
{
	*l = (struct lives){
		.options = options,
		.reader = reader,
		.free = KEYS_NONE,
		.oldest = KEYS_NONE,
		.newest = KEYS_NONE,
		.is_of_thread = is_of_thread(options),
	};
	paths_init(&l->paths);
	life_kinds_init(&l->kinds, &options->rules, reader);
}

void lives_fini(struct lives *l)
{
	vec_foreach (struct life *, life, &l->all) {
		free(life->steps);
	}
	vec_fini(&l->all);
	texts_fini(&l->groups);
	vec_fini(&l->names);
	vec_fini(&l->bytes);
	keys_fini(&l->open);
	tuples_fini(&l->tuples);
	life_kinds_fini(&l->kinds);
	paths_fini(&l->paths);
	gaps_fini(&l->gaps);
}

/* ---- Event classes ---- */

static COLD const struct life_class *examine(struct lives *l, const struct event_class *c)
{
	life_kinds_add(&l->kinds, c);
	while (l->names.count <= c->index) {
		vec_push(&l->names, UINT32_MAX);
	}
	l->names.items[c->index] = texts_number(&l->paths.names, c->name, strlen(c->name));
	if (!*l->error) {
		memcpy(l->error, l->kinds.error, sizeof(l->error));
	}
	return life_kinds_get(&l->kinds, c);
}

static inline const struct life_class *class_of(struct lives *l, const struct event_class *c)
{
	const struct life_class *class = life_kinds_get(&l->kinds, c);

	return LIKELY(class != NULL) ? class : examine(l, c);
}

void lives_check(struct lives *l)
{
	vec_foreach (struct event_class *const *, c, &l->reader->classes.all) {
		class_of(l, *c);
	}
}

/* True if one integer is the key: it is then the key's scope itself. */
static inline bool is_number(const struct lives *l, uint32_t kind)
{
	return l->kinds.fields == 1 && l->kinds.kinds.items[kind].kinds[0] == FIELD_INTEGER;
}

/* ---- Keys ---- */

/* Fails if the trace does not record the thread or process, which then distinguishes nothing. */
static bool check_recorded(struct lives *l, const struct record *rec, int field)
{
	if (LIKELY(field >= 0) || (field == FIELD_TID ? rec->tid : rec->pid)) {
		return true;
	}
	l->is_untold = true;
	return error_set(l->error,
		"the trace does not record the %s of event '%.60s'; name other fields with --by",
		field == FIELD_TID ? "thread" : "process", rec->class->name);
}

/* Reads the values of a key into l->bytes; returns false if one is absent. */
static bool read_bytes(struct lives *l, const struct record *rec, const struct life_class *class,
	const struct value *values)
{
	l->bytes.count = 0;
	for (size_t i = 0; i < l->kinds.fields; i++) {
		if (!check_recorded(l, rec, class->by[i]) ||
			!field_append(&l->bytes, rec, values, class->by[i])) {
			return false;
		}
	}
	return true;
}

/*
 * Makes the key of a record. Its scope is TUPLES_NONE if no open life has these bytes. Returns
 * false if a value is absent.
 */
static inline bool read_key(
	struct lives *l, const struct record *rec, const struct life_class *class, struct key *key)
{
	const struct value *values = rec->class->event ? reader_values(l->reader, rec) : NULL;

	*key = field_owner(rec, l->options->is_across, l->is_of_thread);
	key->name = class->kind;
	if (LIKELY(is_number(l, class->kind))) {
		uint64_t number = 0;
		bool is_there = check_recorded(l, rec, class->by[0]) &&
				field_integer(rec, values, class->by[0], &number);

		key->scope = (int64_t)number;
		return is_there;
	}
	bool is_there = read_bytes(l, rec, class, values);

	key->scope = is_there ? tuples_find(&l->tuples, l->bytes.items, l->bytes.count) : 0;
	return is_there;
}

/* ---- Groups ---- */

/* Sets the life's group from the first event that has the field. */
static COLD void set_group(struct lives *l, struct life *life, const struct record *rec, int field)
{
	const struct value *values = rec->class->event ? reader_values(l->reader, rec) : NULL;
	char *text = field_text(rec, values, field, l->options->text);

	life->group = field_group(&l->groups, text, l->options->rules.per, l->error);
}

/* ---- By the time of the last event ---- */

static void leave_order(struct lives *l, const struct life *life)
{
	if (life->older == KEYS_NONE) {
		l->oldest = life->newer;
	} else {
		l->all.items[life->older].newer = life->newer;
	}
	if (life->newer == KEYS_NONE) {
		l->newest = life->older;
	} else {
		l->all.items[life->newer].older = life->older;
	}
}

static void make_newest(struct lives *l, struct life *life)
{
	uint32_t index = (uint32_t)(life - l->all.items);

	life->older = l->newest;
	life->newer = KEYS_NONE;
	if (l->newest == KEYS_NONE) {
		l->oldest = index;
	} else {
		l->all.items[l->newest].newer = index;
	}
	l->newest = index;
}

/* ---- Lives ---- */

static struct life *new_life(struct lives *l)
{
	if (l->free == KEYS_NONE) {
		vec_push(&l->all, ((struct life){ .older = KEYS_NONE }));
		l->free = (uint32_t)l->all.count - 1;
	}
	struct life *life = &l->all.items[l->free];
	struct life_step *steps = life->steps;
	uint32_t room = life->step_room;

	l->free = life->older;
	*life = (struct life){ .steps = steps, .step_room = room };
	return life;
}

static void check_open(struct lives *l)
{
	size_t open = l->open.count;

	l->most_open = open > l->most_open ? open : l->most_open;
	if (UNLIKELY(open > l->options->max_open)) {
		error_set(l->error,
			"more than %zu lives are open: name the event that ends one with --to, or end them "
			"with --idle=SECONDS; --max-open raises the limit, for 300 bytes each",
			l->options->max_open);
	}
}

static struct life *begin(struct lives *l, const struct record *rec, struct key *key)
{
	struct life *life = new_life(l);

	if (!is_number(l, key->name)) {
		key->scope = tuples_hold(&l->tuples, l->bytes.items, l->bytes.count);
	}
	life->key = *key;
	life->first = rec->class;
	life->number = ++l->begun;
	life->begin_ns = life->end_ns = rec->ns;
	life->pid = rec->pid;
	life->tid = rec->tid;
	life->trace = rec->trace;
	keys_swap(&l->open, key, (uint32_t)(life - l->all.items));
	if (l->options->idle_ns) {
		make_newest(l, life);
	}
	check_open(l);
	return life;
}

static void push_step(struct life *life)
{
	if (UNLIKELY(life->step_count == life->step_room)) {
		life->step_room = life->step_room ? 2 * life->step_room : STEPS_FIRST;
		life->steps = xrealloc(life->steps, life->step_room * sizeof(*life->steps));
	}
	life->steps[life->step_count++] = (struct life_step){ .count = 1 };
}

/*
 * A loop of `size` steps has closed with one more step: adds its last round to the one before. The
 * new step itself has no item yet.
 */
static COLD void close_loop(struct life *life, uint32_t size)
{
	uint32_t count = life->step_count;
	uint32_t last = count - size; /* the step that the new one is equal to */

	for (uint32_t i = count + 1 - size; i < count; i++) {
		struct life_step *to = &life->steps[i - size];

		to->ns += life->steps[i].ns;
		to->count += life->steps[i].count;
		to->loops |= life->steps[i].loops;
	}
	life->steps[last].count++;
	life->steps[last].loops |= UINT32_C(1) << (size - 1);
	life->step_count = last + 1;
	/* The whole path was repeated: its first step came after its last one. */
	life->is_restarted |= size > 1 && size == life->step_count;
}

static void add_step(struct lives *l, struct life *life, const struct record *rec)
{
	uint32_t name = l->names.items[rec->class->index];
	uint32_t next = paths_next(&l->paths, life->path, name);
	uint32_t loop = paths_loop(&l->paths, life->path, next);
	uint64_t ns = rec->ns > life->end_ns ? rec->ns : life->end_ns;

	if (life->step_count > 0) {
		life->steps[life->step_count - 1].ns += ns - life->end_ns;
	}
	if (UNLIKELY(next == PATHS_OTHER)) {
		life->step_count = 0;
	} else if (loop) {
		close_loop(life, loop);
	} else {
		push_step(life);
	}
	life->path = next;
	life->end_ns = ns;
	life->last = rec->class;
	life->count++;
}

/* Adds an event to a life, with whatever it means for the caller's questions. */
static inline void step(struct lives *l, struct life *life, const struct record *rec,
	const struct life_class *class)
{
	const struct lives_options *o = l->options;

	add_step(l, life, rec);
	if (UNLIKELY(class->per != FIELD_NONE) && life->group == 0) {
		set_group(l, life, rec, class->per);
	}
	if (o->where && !life->is_selected) {
		life->is_selected = where_passes(o->where, l->reader, rec);
	}
	if (o->idle_ns && l->newest != (uint32_t)(life - l->all.items)) {
		leave_order(l, life);
		make_newest(l, life);
	}
	if (o->stepped) {
		o->stepped(o->data, life, rec);
	}
}

/* Ends a life, whose key is still among the open ones. Until `ns`, it may have had more events. */
static void finish(struct lives *l, struct life *life, enum life_outcome outcome, uint64_t ns)
{
	const struct lives_options *o = l->options;

	life->is_doubtful = gaps_overlap(&l->gaps, &life->key, life->begin_ns, ns);
	life->outcome = outcome == LIFE_UNFINISHED && life->is_doubtful ? LIFE_END_LOST : outcome;
	life->is_restarted &= !l->kinds.kinds.items[life->key.name].has_end;
	keys_take(&l->open, &life->key);
	if (o->ended && (!o->where || life->is_selected)) {
		o->ended(o->data, life);
	}
	if (!is_number(l, life->key.name)) {
		tuples_release(&l->tuples, (uint32_t)life->key.scope);
	}
	if (o->idle_ns) {
		leave_order(l, life);
	}
	life->first = NULL;
	life->older = l->free;
	l->free = (uint32_t)(life - l->all.items);
}

/* Ends a life without an end event, at `ns`. */
static void finish_endless(struct lives *l, struct life *life, uint64_t ns)
{
	if (l->kinds.kinds.items[life->key.name].has_end) {
		finish(l, life, LIFE_UNFINISHED, ns);
	} else {
		finish(l, life, LIFE_ENDED, life->end_ns);
	}
}

static void end_idle(struct lives *l, uint64_t now)
{
	while (l->oldest != KEYS_NONE) {
		struct life *life = &l->all.items[l->oldest];

		if (now <= life->end_ns || now - life->end_ns <= l->options->idle_ns) {
			break;
		}
		finish_endless(l, life, now);
	}
}

/* ---- Records ---- */

/* Counts an event of no life. */
static COLD void count_outside(
	struct lives *l, const struct key *key, const struct record *rec, bool is_end)
{
	if (!is_end) {
		l->outside++;
	} else if (gaps_overlap(&l->gaps, key, 0, rec->ns)) {
		l->begin_lost++;
	} else {
		l->unbegun++;
	}
}

static void add_event(struct lives *l, const struct record *rec, const struct life_class *class)
{
	const struct life_kind *kind = &l->kinds.kinds.items[class->kind];
	struct key key;

	if (!read_key(l, rec, class, &key)) {
		l->keyless++;
		return;
	}
	uint32_t index = keys_get(&l->open, &key);
	struct life *life = index == KEYS_NONE ? NULL : &l->all.items[index];

	if (class->is_end && life) {
		step(l, life, rec, class);
		finish(l, life, LIFE_ENDED, life->end_ns);
		life = NULL;
		if (!class->is_begin) {
			return;
		}
	}
	if (class->is_begin && life) {
		finish(l, life, kind->has_end ? LIFE_BEGUN_TWICE : LIFE_ENDED, rec->ns);
		life = NULL;
	}
	if (!life && !class->is_begin && kind->has_begin) {
		count_outside(l, &key, rec, class->is_end);
		return;
	}
	life = life ? life : begin(l, rec, &key);
	step(l, life, rec, class);
	if (UNLIKELY(class->is_end && !class->is_begin)) {
		finish(l, life, LIFE_ENDED, life->end_ns); /* it is the first event, too */
	}
}

void lives_add(struct lives *l, const struct record *rec)
{
	if (UNLIKELY(rec->kind == RECORD_GAP)) {
		const struct key owner = field_owner(rec, l->options->is_across, l->is_of_thread);

		gaps_add(&l->gaps, rec, &owner);
		return;
	}
	const struct life_class *class = class_of(l, rec->class);

	if (class->kind == LIFE_KINDS_NONE || *l->error) {
		return;
	}
	if (l->options->idle_ns) {
		end_idle(l, rec->ns);
	}
	add_event(l, rec, class);
}

void lives_end(struct lives *l)
{
	for (size_t i = 0; i < l->all.count && !*l->error; i++) {
		struct life *life = &l->all.items[i];

		if (life->first) {
			finish_endless(l, life, UINT64_MAX);
		}
	}
}

/* ---- Names ---- */

const char *lives_kind_name(const struct lives *l, const struct life *life)
{
	return l->kinds.kinds.items[life->key.name].name;
}

/* Returns one value of a life's key as text; `bytes` is the end of the values before. */
static char *value_text(
	const struct lives *l, const struct life *life, size_t i, const char **bytes)
{
	const struct event *e = life->first->event;
	int field = life_kinds_get(&l->kinds, life->first)->by[i];
	struct value v = { .number = (uint64_t)life->key.scope, .kind = VALUE_NUMBER };
	struct value *values = xcalloc(e ? e->arg_count + 1 : 1, sizeof(*values));

	if (*bytes) {
		*bytes = field_read(*bytes, &v);
	}
	const struct record rec = {
		.class = life->first, .pid = (uint32_t)v.number, .tid = (uint32_t)v.number
	};

	if (field >= 0) {
		values[field] = v;
	}
	char *text = field_text(&rec, values, field, l->options->text);

	free(values);
	return text;
}

char *lives_key_text(const struct lives *l, const struct life *life)
{
	const char *bytes =
		is_number(l, life->key.name) ? NULL : l->tuples.all.items[life->key.scope].bytes;
	struct field_bytes text = { 0 };

	for (size_t i = 0; i < l->kinds.fields; i++) {
		char *value = value_text(l, life, i, &bytes);

		vec_append(&text, ",", (size_t)(i > 0));
		vec_append(&text, value, value ? strlen(value) : 0);
		free(value);
	}
	vec_push(&text, '\0');
	return text.items;
}
