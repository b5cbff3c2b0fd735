/* SPDX-License-Identifier: MIT */
/*
 * See analyse/latency.h. The key of a pair (read/keys.h) has the value as its scope where
 * one integer tells pairs apart, and else the number of the values in `tuples`, which whoever
 * is open holds.
 */
#include "analyse/latency.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of a row: nothing began, or ended, there; and the scope of a key that nobody has. */
#define NO_NAME UINT32_MAX
#define NO_SCOPE INT64_MIN

/* The name of an event that is given exactly, recorded or not. */
#define EXACT_NAME (UINT32_MAX - 1)

/* Where both sides mean the thread itself, a gap of another thread took nothing of a pair. */
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

void latency_init(
	struct latency *l, const struct latency_options *options, const struct reader *reader)
{
	*l = (struct latency){ .options = options, .reader = reader };
	l->report.has_to = true;
	l->is_of_thread = is_of_thread(options);
	l->report.group = options->per;
	pairs_init(&l->pairs, &reader->classes);
	hash_init(&l->groups);
	hash_init(&l->by_name);
}

void latency_fini(struct latency *l)
{
	report_fini(&l->report);
	pairs_fini(&l->pairs);
	tuples_fini(&l->tuples);
	hash_fini(&l->groups);
	hash_fini(&l->by_name);
	vec_foreach (char **, text, &l->group_texts) {
		free(*text);
	}
	vec_fini(&l->group_texts);
	vec_fini(&l->classes);
	vec_fini(&l->bytes);
}

static inline const struct latency_class *class_of(struct latency *l, const struct event_class *c)
{
	if (UNLIKELY(c->index >= l->classes.count || !l->classes.items[c->index].is_known)) {
		latency_classify(l, c);
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

bool latency_has(const struct latency *l, enum latency_side side)
{
	return latency_class_of_side(l, side) != NULL;
}

/* The number of a group's text, from 1; 0: there is none, or too many, which was reported. */
static uint32_t group_of(struct latency *l, const struct record *rec, const struct value *values)
{
	int field = class_of(l, rec->class)->per;
	const struct latency_options *o = l->options;
	char *text = o->per ? field_text(rec, values, field, o->text) : NULL;

	if (!text) {
		return 0;
	}
	uintptr_t number = (uintptr_t)hash_get(&l->groups, text);

	if (number) {
		free(text);
		return (uint32_t)number;
	}
	if (l->group_texts.count == LATENCY_GROUPS_MAX) {
		snprintf(l->error, sizeof(l->error),
			"'%.60s' has more than %d values, too many to group by", o->per,
			LATENCY_GROUPS_MAX);
		free(text);
		return 0;
	}
	vec_push(&l->group_texts, text);
	hash_add(&l->groups, text, (void *)(uintptr_t)l->group_texts.count);
	return (uint32_t)l->group_texts.count;
}

struct row_name {
	uint32_t number;
	const char *text;
};

/* Of a class; where there is none, the event's that was given, unless it is a pattern. */
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
		row->group = group ? strdup(l->group_texts.items[group - 1]) : NULL;
	}
	return row;
}

/* Whether the only value that tells records apart can be the key itself. */
static bool is_number(const struct latency *l)
{
	return l->options->by_count == 1 && l->kinds[0] == FIELD_INTEGER;
}

/* Threads and processes that the trace does not tell tell nothing apart. */
static bool is_told(struct latency *l, const struct record *rec, int field)
{
	if ((field != FIELD_TID || rec->tid) && (field != FIELD_PID || rec->pid)) {
		return true;
	}
	l->is_untold = true;
	snprintf(l->error, sizeof(l->error),
		"the trace does not tell the %s of event '%.60s'; say by which of its fields "
		"pairs are told apart, with --by",
		field == FIELD_TID ? "thread" : "process", rec->class->name);
	return false;
}

static struct key base_key(const struct latency *l, const struct record *rec)
{
	struct key key = { 0 };

	if (!l->options->is_across) {
		key.trace = rec->trace;
		key.pid = rec->pid;
		key.tid = l->is_of_thread ? rec->tid : 0;
	}
	return key;
}

/* Sets the number, or the bytes, of the values; false: they are not all there. */
static bool read_values(struct latency *l, const struct record *rec, const struct value *values,
	enum latency_side side, uint64_t *number)
{
	const int *by = class_of(l, rec->class)->by[side];

	l->bytes.count = 0;
	for (size_t i = 0; i < l->options->by_count; i++) {
		bool is_there = is_told(l, rec, by[i]) &&
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
		snprintf(l->error, sizeof(l->error),
			"more than %zu of '%.60s' have no '%.60s' yet: are they told apart by the "
			"right fields? --max-open raises the limit, for 200 bytes each",
			l->options->max_open, l->options->events[LATENCY_FROM],
			l->options->events[LATENCY_TO]);
	}
}

static void begin(struct latency *l, const struct record *rec, const struct value *values)
{
	struct key key = base_key(l, rec);
	uint64_t number = 0;
	uint32_t group = group_of(l, rec, values);

	if (!read_values(l, rec, values, LATENCY_FROM, &number)) {
		return;
	}
	if (!is_number(l)) {
		number = tuples_hold(&l->tuples, l->bytes.items, l->bytes.count);
	}
	key.scope = (int64_t)number;
	enum pairs_place place = key.tid ? PAIRS_THREAD : PAIRS_ANYWHERE;

	if (pairs_begin(&l->pairs, rec, &key, place, group) == PAIRS_BEGUN_TWICE) {
		const struct scope_span *other = &l->pairs.span;

		row_of(l, other->class, NULL, other->tag)->unpaired.begun_twice++;
		if (!is_number(l)) {
			tuples_release(&l->tuples, (uint32_t)number);
		}
	}
	check_open(l);
}

static void add_span(struct latency *l, const struct record *rec)
{
	const struct scope_span *s = &l->pairs.span;

	report_add(row_of(l, s->class, rec->class, s->tag), s->end_ns - s->begin_ns);
	if (!is_number(l)) {
		tuples_release(&l->tuples, (uint32_t)s->key.scope);
	}
}

static void end(struct latency *l, const struct record *rec, const struct value *values)
{
	struct key key = base_key(l, rec);
	uint64_t number = 0;

	if (!read_values(l, rec, values, LATENCY_TO, &number)) {
		return;
	}
	key.scope = (int64_t)number;
	if (!is_number(l)) {
		uint32_t tuple = tuples_find(&l->tuples, l->bytes.items, l->bytes.count);

		key.scope = tuple == TUPLES_NONE ? NO_SCOPE : (int64_t)tuple;
	}
	enum pairs_result result = pairs_end(&l->pairs, rec, &key);

	if (result == PAIRS_ENDED) {
		add_span(l, rec);
	} else if (!class_of(l, rec->class)->is_event[LATENCY_FROM]) {
		/* What begins as well is no end that lacks something. */
		struct unpaired *u = &row_of(l, NULL, rec->class, 0)->unpaired;

		*(result == PAIRS_UNBEGUN_LOST ? &u->begin_lost : &u->unbegun) += 1;
	}
}

/* As the keys that it may concern. */
static void add_gap(struct latency *l, const struct record *rec)
{
	struct record gap = *rec;
	struct key key = base_key(l, rec);

	gap.trace = key.trace;
	gap.pid = key.pid;
	gap.tid = key.tid;
	pairs_gap(&l->pairs, &gap);
}

/* Where an event is both, it ends one and begins the next. */
void latency_add(struct latency *l, const struct record *rec, const struct value *values)
{
	if (rec->kind == RECORD_GAP) {
		add_gap(l, rec);
		return;
	}
	if (!*l->error && class_of(l, rec->class)->is_event[LATENCY_TO]) {
		end(l, rec, values);
	}
	if (!*l->error && class_of(l, rec->class)->is_event[LATENCY_FROM]) {
		begin(l, rec, values);
	}
}

static void add_unfinished(void *data, const struct scope_span *span)
{
	struct unpaired *u = &row_of(data, span->class, NULL, span->tag)->unpaired;

	*(span->is_lost ? &u->end_lost : &u->unfinished) += 1;
}

void latency_end(struct latency *l)
{
	pairs_unfinished(&l->pairs, add_unfinished, l);
}
