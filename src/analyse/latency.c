/* SPDX-License-Identifier: MIT */
/*
 * Finds the fields of each event class once, makes a key (read/keys.h) of each record, and adds the
 * spans between records with equal keys to the report. The scope of a key is the value itself if
 * pairs are distinguished by one integer, else the number of its values in `tuples`, which each
 * open record holds.
 */
#include "analyse/latency.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "read/where.h"

/* In the key of a row: no event of this side. */
#define NO_NAME UINT32_MAX

/* In the key of a row: the event that the options name exactly, whether recorded or not. */
#define EXACT_NAME (UINT32_MAX - 1)

/* The scope of a key that no open record has. */
#define NO_SCOPE INT64_MIN

/* True if pairs are of one thread: a gap of another thread then loses none of their records. */
static bool is_of_thread(const struct latency_options *o)
{
	for (size_t i = 0; i < o->by_count && !o->is_across; i++) {
		if (strcmp(o->by[LATENCY_FROM][i], "@tid") == 0 &&
			strcmp(o->by[LATENCY_TO][i], "@tid") == 0) {
			return true;
		}
	}
	return false;
}

void latency_init(struct latency *l, const struct latency_options *options, struct reader *reader)
{
	*l = (struct latency){ .options = options, .reader = reader };
	l->report.has_to = true;
	l->is_of_thread = is_of_thread(options);
	l->report.group = options->per;
	pairs_init(&l->pairs, &reader->classes);
	hash_init(&l->by_name);
}

void latency_fini(struct latency *l)
{
	report_fini(&l->report);
	pairs_fini(&l->pairs);
	gaps_fini(&l->gaps);
	tuples_fini(&l->tuples);
	texts_fini(&l->groups);
	hash_fini(&l->by_name);
	vec_fini(&l->classes);
	vec_fini(&l->bytes);
}

/* ---- Event classes: each is examined once ---- */

static void fail_field(struct latency *l, const struct event_class *c, const char *name)
{
	char fields[300];

	field_list(c, fields, sizeof(fields));
	if (c->event) {
		error_set(l->error, "event '%.60s' has no field '%.60s'; it has %s", c->name, name,
			fields);
	} else {
		error_set(l->error,
			"the fields of event '%.60s' are not known; give its declaration with -e",
			c->name);
	}
}

/* Only values of one kind can be equal. */
static void check_kind(struct latency *l, const struct event_class *c, size_t i, int field)
{
	enum field_kind kind = field_kind(c, field);

	if (l->kinds[i] == FIELD_UNKNOWN) {
		l->kinds[i] = kind;
		l->kinds_of[i] = c;
	} else if (l->kinds[i] != kind) {
		const struct event_class *other = l->kinds_of[i];
		int theirs = field_find(other, l->options->by[LATENCY_FROM][i]);

		theirs = theirs == FIELD_NONE ? field_find(other, l->options->by[LATENCY_TO][i])
					      : theirs;
		error_set(l->error,
			"'%.60s' of event '%.60s' (%s) cannot be compared with that of '%.60s' (%s)",
			l->options->by[LATENCY_FROM][i], c->name,
			field < 0 ? "a number" : c->event->args[field].type.text, other->name,
			theirs < 0 ? "a number" : other->event->args[theirs].type.text);
	}
}

static void find_fields(struct latency *l, const struct event_class *c, struct latency_class *class)
{
	const struct latency_options *o = l->options;

	for (size_t n = 0; n < LATENCY_SIDES * o->by_count && !*l->error; n++) {
		enum latency_side side = (enum latency_side)(n % LATENCY_SIDES);
		size_t i = n / LATENCY_SIDES;

		if (!class->is_event[side]) {
			continue;
		}
		class->by[side][i] = field_find(c, o->by[side][i]);
		if (class->by[side][i] == FIELD_NONE) {
			fail_field(l, c, o->by[side][i]);
		} else {
			check_kind(l, c, i, class->by[side][i]);
		}
	}
	if (o->per && class->is_event[LATENCY_FROM] && !*l->error) {
		class->per = field_find(c, o->per);
		if (class->per == FIELD_NONE) {
			fail_field(l, c, o->per);
		}
	}
}

static bool is_event(const struct latency *l, enum latency_side side, const struct event_class *c)
{
	return l->options->is_event(l->options->data, side, c->name);
}

/* Examines an event class when it is first seen; sets the error if a field is wrong. */
static COLD void classify(struct latency *l, const struct event_class *c)
{
	vec_reach(&l->classes, c->index);
	struct latency_class *class = &l->classes.items[c->index];
	uintptr_t number = (uintptr_t)c->index + 1;

	class->is_known = true;
	class->name = (uint32_t)(uintptr_t)hash_add(&l->by_name, c->name, (void *)number);
	class->is_event[LATENCY_FROM] = is_event(l, LATENCY_FROM, c);
	class->is_event[LATENCY_TO] = is_event(l, LATENCY_TO, c);
	find_fields(l, c, class);
}

static inline const struct latency_class *class_of(struct latency *l, const struct event_class *c)
{
	if (UNLIKELY(c->index >= l->classes.count || !l->classes.items[c->index].is_known)) {
		classify(l, c);
	}
	return &l->classes.items[c->index];
}

void latency_check(struct latency *l)
{
	vec_foreach (struct event_class *const *, c, &l->reader->classes.all) {
		class_of(l, *c);
	}
}

bool latency_wants(struct latency *l, const struct record *rec)
{
	if (rec->kind != RECORD_EVENT) {
		return false;
	}
	const struct latency_class *class = class_of(l, rec->class);

	return class->is_event[LATENCY_FROM] || class->is_event[LATENCY_TO];
}

const struct event_class *latency_class_of_side(const struct latency *l, enum latency_side side)
{
	vec_foreach (struct event_class *const *, c, &l->reader->classes.all) {
		if (is_event(l, side, *c)) {
			return *c;
		}
	}
	return NULL;
}

/* True if all events of both sides have the field, with values of the same kind as in `first`. */
static bool is_shared(const struct latency *l, const struct event_class *first, int field)
{
	const char *name = first->event->args[field].name;

	vec_foreach (struct event_class *const *, c, &l->reader->classes.all) {
		if (!is_event(l, LATENCY_FROM, *c) && !is_event(l, LATENCY_TO, *c)) {
			continue;
		}
		int theirs = field_find(*c, name);

		if (theirs < 0 || field_kind(*c, theirs) != field_kind(first, field)) {
			return false;
		}
	}
	return true;
}

size_t latency_shared_fields(const struct latency *l, const char **names, size_t max)
{
	const struct event_class *first = latency_class_of_side(l, LATENCY_FROM);
	size_t count = 0;

	if (!first || !first->event || !latency_class_of_side(l, LATENCY_TO)) {
		return 0;
	}
	for (size_t i = 0; i < first->event->arg_count && count < max; i++) {
		if (is_shared(l, first, (int)i)) {
			names[count++] = first->event->args[i].name;
		}
	}
	return count;
}

/* ---- Records ---- */

struct row_name {
	uint32_t number;
	const char *text;
};

/*
 * Returns the name of a row's side: the event that the options name, else that of class `c`, if
 * any.
 */
static struct row_name row_name(
	struct latency *l, const struct event_class *c, enum latency_side side)
{
	if (l->options->is_exact[side]) {
		return (struct row_name){ EXACT_NAME, l->options->events[side] };
	}
	return c ? (struct row_name){ class_of(l, c)->name, c->name }
		 : (struct row_name){ NO_NAME, NULL };
}

static struct report_row *row_of(struct latency *l, const struct event_class *from,
	const struct event_class *to, uint32_t group)
{
	struct row_name names[] = { row_name(l, from, LATENCY_FROM), row_name(l, to, LATENCY_TO) };
	const struct key key = { .name = names[0].number, .tid = names[1].number, .scope = group };
	bool is_new;
	struct report_row *row = report_row(&l->report, &key, &is_new);

	if (is_new) {
		row->name = names[0].text;
		row->to = names[1].text;
		row->group = group ? strdup(l->groups.items[group - 1]) : NULL;
	}
	return row;
}

/* True if one integer distinguishes records: it is then the key's scope itself. */
static bool is_number(const struct latency *l)
{
	return l->options->by_count == 1 && l->kinds[0] == FIELD_INTEGER;
}

/* Fails if the trace does not record the thread or process, which then distinguishes nothing. */
static bool check_recorded(struct latency *l, const struct record *rec, int field)
{
	if ((field != FIELD_TID || rec->tid) && (field != FIELD_PID || rec->pid)) {
		return true;
	}
	l->is_untold = true;
	return error_set(l->error,
		"the trace does not record the %s of event '%.60s'; name the fields that make a "
		"pair with --by",
		field == FIELD_TID ? "thread" : "process", rec->class->name);
}

/* Reads the values of a key: into `number` if is_number(), else into l->bytes. */
static bool read_values(struct latency *l, const struct record *rec, const struct value *values,
	enum latency_side side, uint64_t *number)
{
	const int *by = class_of(l, rec->class)->by[side];

	l->bytes.count = 0;
	for (size_t i = 0; i < l->options->by_count; i++) {
		bool is_there = check_recorded(l, rec, by[i]) &&
				(is_number(l) ? field_integer(rec, values, by[i], number)
					      : field_append(&l->bytes, rec, values, by[i]));

		if (!is_there) {
			l->report.keyless++;
			return false;
		}
	}
	return true;
}

static void check_open(struct latency *l)
{
	size_t open = pairs_open(&l->pairs);

	l->report.most_open = open > l->report.most_open ? open : l->report.most_open;
	if (open > l->options->max_open) {
		error_set(l->error,
			"more than %zu of '%.60s' wait for their '%.60s': check that --by names the right "
			"fields; --max-open raises the limit, for 200 bytes each",
			l->options->max_open, l->options->events[LATENCY_FROM],
			l->options->events[LATENCY_TO]);
	}
}

static bool is_selected(struct latency *l, const struct record *rec)
{
	return !l->options->where || where_passes(l->options->where, l->reader, rec);
}

static void begin(struct latency *l, const struct record *rec, const struct value *values)
{
	struct key key = field_owner(rec, l->options->is_across, l->is_of_thread);
	uint64_t number = 0;
	const char *per = l->options->per;
	int field = class_of(l, rec->class)->per;
	char *text = per ? field_text(rec, values, field, l->options->text) : NULL;
	uint32_t group = field_group(&l->groups, text, per, l->error);

	if (!read_values(l, rec, values, LATENCY_FROM, &number)) {
		return;
	}
	if (!is_number(l)) {
		number = tuples_hold(&l->tuples, l->bytes.items, l->bytes.count);
	}
	key.scope = (int64_t)number;
	if (pairs_begin(&l->pairs, rec, &key, PAIRS_ANYWHERE, group) == PAIRS_BEGUN_TWICE) {
		const struct scope_span *other = &l->pairs.span;

		if (pairs_is_selected(other)) {
			row_of(l, other->class, NULL, other->tag)->unpaired.begun_twice++;
		}
		if (!is_number(l)) {
			tuples_release(&l->tuples, (uint32_t)number);
		}
	}
	pairs_select(&l->pairs, is_selected(l, rec));
	check_open(l);
}

/* Adds the pair that was found, whose end is `rec`. */
static void add_pair(struct latency *l, const struct record *rec)
{
	const struct scope_span *s = &l->pairs.span;

	if (!pairs_is_selected(s) && !is_selected(l, rec)) {
		return;
	}
	struct report_row *row = row_of(l, s->class, rec->class, s->tag);

	if (UNLIKELY(gaps_are_between(&l->gaps, &s->key, s->begin_ns, s->end_ns))) {
		row->unpaired.events_lost++;
	} else {
		report_add(row, s->end_ns - s->begin_ns);
	}
}

/* Counts an end without a begin. */
static void add_unbegun(struct latency *l, const struct record *rec, const struct key *key)
{
	/* An event of both sides begins a pair itself, so it is not counted. */
	if (class_of(l, rec->class)->is_event[LATENCY_FROM] || !is_selected(l, rec)) {
		return;
	}
	bool is_lost = gaps_overlap(&l->gaps, key, 0, rec->ns);
	struct unpaired *u = &row_of(l, NULL, rec->class, 0)->unpaired;

	*(is_lost ? &u->begin_lost : &u->unbegun) += 1;
}

static void end(struct latency *l, const struct record *rec, const struct value *values)
{
	struct key key = field_owner(rec, l->options->is_across, l->is_of_thread);
	uint64_t number = 0;

	if (!read_values(l, rec, values, LATENCY_TO, &number)) {
		return;
	}
	key.scope = (int64_t)number;
	if (!is_number(l)) {
		uint32_t tuple = tuples_find(&l->tuples, l->bytes.items, l->bytes.count);

		key.scope = tuple == TUPLES_NONE ? NO_SCOPE : (int64_t)tuple;
	}
	if (pairs_end(&l->pairs, rec, &key) != PAIRS_ENDED) {
		add_unbegun(l, rec, &key);
		return;
	}
	add_pair(l, rec);
	if (!is_number(l)) {
		tuples_release(&l->tuples, (uint32_t)key.scope);
	}
}

void latency_add(struct latency *l, const struct record *rec, const struct value *values)
{
	if (rec->kind == RECORD_GAP) {
		const struct key owner = field_owner(rec, l->options->is_across, l->is_of_thread);

		gaps_add(&l->gaps, rec, &owner);
		return;
	}
	/* An event of both sides ends one pair and begins the next. */
	if (!*l->error && class_of(l, rec->class)->is_event[LATENCY_TO]) {
		end(l, rec, values);
	}
	if (!*l->error && class_of(l, rec->class)->is_event[LATENCY_FROM]) {
		begin(l, rec, values);
	}
}

static void add_unfinished(void *data, const struct scope_span *span)
{
	struct latency *l = data;

	if (!pairs_is_selected(span)) {
		return;
	}
	bool is_lost = gaps_are_between(&l->gaps, &span->key, span->begin_ns, UINT64_MAX);
	struct unpaired *u = &row_of(l, span->class, NULL, span->tag)->unpaired;

	*(is_lost ? &u->end_lost : &u->unfinished) += 1;
}

void latency_end(struct latency *l)
{
	pairs_unfinished(&l->pairs, add_unfinished, l);
}
