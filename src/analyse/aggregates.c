/* SPDX-License-Identifier: MIT */
/* Aggregations of traced programs: see aggregates.h. */
#include "analyse/aggregates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* A value of a map, as of the newest record. */
struct aggregate_source {
	const char *event;
	const char *function;
	const char *terms;
	const char *key;
	struct aggregate_bucket value;
	uint32_t snapshot;
	bool is_float;
};

static const char *const names[AGGREGATE_KINDS] = OWN_AGGREGATE_NAMES;

/* Only the runtime's own events matter. */
static bool needs_class(void *unused, const struct event_class *class)
{
	(void)unused;
	return class->is_own;
}

void aggregates_limit(struct reader *reader)
{
	const struct reader_needs own = { .from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.any_order = true,
		.needs_class = needs_class };

	reader_limit(reader, &own);
}

void aggregates_init(struct aggregates *a)
{
	*a = (struct aggregates){ 0 };
	arena_init(&a->texts);
	arena_init(&a->merged);
	hash_init(&a->sources_by_name);
}

static void free_tables(struct aggregates *a)
{
	for (size_t i = 0; i < a->tables.count; i++) {
		struct aggregate_table *t = a->tables.items[i];

		for (size_t k = 0; k < t->rows.count * t->functions.count; k++) {
			vec_fini(&t->rows.items[k / t->functions.count]
					  .cells[k % t->functions.count]
					  .buckets);
		}
		vec_fini(&t->rows);
		vec_fini(&t->functions);
		hash_fini(&t->numbers);
	}
	vec_fini(&a->tables);
	arena_fini(&a->merged);
	arena_init(&a->merged);
}

void aggregates_fini(struct aggregates *a)
{
	free_tables(a);
	vec_fini(&a->sources);
	hash_fini(&a->sources_by_name);
	vec_fini(&a->name);
	arena_fini(&a->merged);
	arena_fini(&a->texts);
}

/* ---- Records ---- */

/* A trace may declare other types than the runtime does. */
static uint64_t number_of(const struct value *v)
{
	return v->kind == VALUE_NUMBER ? v->number : 0;
}

static void put_name(struct aggregates *a, const char *text, size_t length)
{
	vec_append(&a->name, text, length);
	vec_push(&a->name, '\n');
}

static void put_name_number(struct aggregates *a, uint64_t n)
{
	char text[24];

	put_name(a, text, (size_t)snprintf(text, sizeof(text), "%" PRIu64, n));
}

/* Makes the name of a map's value, which is the same in all traces of the process. */
static const char *make_name(struct aggregates *a, const struct reader *r, const struct record *rec,
	const struct value *v)
{
	const struct trace_info *t = &r->traces[rec->trace];
	const char *host = t->hostname ? t->hostname : "";
	const char *program = t->procname ? t->procname : "";

	a->name.count = 0;
	put_name(a, host, strlen(host));
	put_name(a, program, strlen(program));
	put_name(a, rec->class->name, strlen(rec->class->name));
	put_name_number(a, rec->pid);
	put_name_number(a, number_of(&v[AGGREGATE_MAP]));
	put_name_number(a, number_of(&v[AGGREGATE_BUCKET]));
	for (int i = AGGREGATE_EVENT; i <= AGGREGATE_KEY; i++) {
		bool is_text = v[i].kind == VALUE_STRING && v[i].text;

		put_name(a, is_text ? v[i].text : "", is_text ? v[i].length : 0);
	}
	vec_push(&a->name, '\0');
	return a->name.items;
}

static const char *text_of(struct aggregates *a, const struct value *v)
{
	bool is_text = v->kind == VALUE_STRING && v->text;

	return is_text ? arena_strndup(&a->texts, v->text, v->length) : "";
}

static struct aggregate_source *source_new(
	struct aggregates *a, const struct record *rec, const struct value *v, const char *name)
{
	struct aggregate_source *s = arena_new(&a->texts, struct aggregate_source);

	*s = (struct aggregate_source){
		.event = text_of(a, &v[AGGREGATE_EVENT]),
		.function = text_of(a, &v[AGGREGATE_FUNCTION]),
		.terms = text_of(a, &v[AGGREGATE_TERMS]),
		.key = text_of(a, &v[AGGREGATE_KEY]),
		.value.from = (int64_t)number_of(&v[AGGREGATE_BUCKET]),
		.snapshot = UINT32_MAX,
		.is_float = strcmp(rec->class->name, OWN_AGGREGATE_FLOAT) == 0,
	};
	hash_add(&a->sources_by_name, arena_strdup(&a->texts, name), s);
	vec_push(&a->sources, s);
	return s;
}

/*
 * A record with the number 0 changes until the trace ends, so it is newer than all others; but one
 * that comes later is newer than one of a packet that was still open.
 */
static bool is_newer(const struct aggregate_source *s, uint32_t snapshot, bool is_live)
{
	return s->snapshot == UINT32_MAX || snapshot == 0 || is_live ||
	       (s->snapshot != 0 && snapshot >= s->snapshot);
}

static void add(struct aggregates *a, struct reader *reader, const struct record *rec)
{
	const struct value *v = reader_values(reader, rec);
	const char *name = make_name(a, reader, rec, v);
	struct aggregate_source *s = hash_get(&a->sources_by_name, name);
	uint32_t snapshot = (uint32_t)number_of(&v[AGGREGATE_SNAPSHOT]);

	s = s ? s : source_new(a, rec, v, name);
	if (!is_newer(s, snapshot, a->is_followed)) {
		return;
	}
	s->snapshot = snapshot;
	s->value.integer = (int64_t)number_of(&v[AGGREGATE_VALUE]);
	s->value.is_float = s->is_float;
	s->value.fraction = s->is_float
				    ? value_double(number_of(&v[AGGREGATE_VALUE]), sizeof(double))
				    : (double)s->value.integer;
}

void aggregates_add(struct aggregates *a, struct reader *reader, const struct record *rec)
{
	if (rec->kind != RECORD_EVENT || !rec->class->is_own || !rec->class->event ||
		rec->class->event->arg_count != AGGREGATE_ARGS) {
		return;
	}
	if (strcmp(rec->class->name, OWN_AGGREGATE) == 0 ||
		strcmp(rec->class->name, OWN_AGGREGATE_FLOAT) == 0) {
		add(a, reader, rec);
	}
}

/* ---- Tables ---- */

static struct aggregate_table *table_of(struct aggregates *a, const struct aggregate_source *s)
{
	for (size_t i = 0; i < a->tables.count; i++) {
		struct aggregate_table *t = a->tables.items[i];

		if (strcmp(t->event, s->event) == 0 && strcmp(t->terms, s->terms) == 0) {
			return t;
		}
	}
	struct aggregate_table *t = arena_new(&a->merged, struct aggregate_table);

	t->event = s->event;
	t->terms = s->terms;
	hash_init(&t->numbers);
	vec_push(&a->tables, t);
	return t;
}

static struct aggregate_function function_of(struct aggregates *a, const char *text)
{
	struct aggregate_function f = { .text = text, .value = "" };
	size_t length = strcspn(text, "(");
	const char *open = text[length] ? text + length : NULL;

	while (f.kind < AGGREGATE_KINDS - 1 &&
		(strlen(names[f.kind]) != length || strncmp(text, names[f.kind], length) != 0)) {
		f.kind++;
	}
	if (open && open[1]) {
		f.value = arena_strndup(&a->merged, open + 1, strlen(open + 1) - 1);
		f.is_time = strncmp(f.value, "elapsed(", strlen("elapsed(")) == 0;
	}
	return f;
}

static size_t find_function(const struct aggregate_table *t, const struct aggregate_source *s)
{
	size_t i = 0;

	while (i < t->functions.count && strcmp(t->functions.items[i].text, s->function) != 0) {
		i++;
	}
	return i;
}

/* Adds a function that the table lacks. */
static void add_function(struct aggregates *a, const struct aggregate_source *s)
{
	struct aggregate_table *t = table_of(a, s);
	size_t i = find_function(t, s);

	if (i == t->functions.count) {
		vec_push(&t->functions, function_of(a, s->function));
	}
}

static struct aggregate_row *row_of(
	struct aggregates *a, struct aggregate_table *t, const struct aggregate_source *s)
{
	size_t number = (size_t)hash_get(&t->numbers, s->key); /* from 1 on */

	if (!number) {
		struct aggregate_row row = { s->key,
			arena_array(&a->merged, struct aggregate_cell, t->functions.count) };

		vec_push(&t->rows, row);
		number = t->rows.count;
		hash_add(&t->numbers, s->key, (void *)number);
	}
	return &t->rows.items[number - 1];
}

static struct aggregate_bucket *bucket_of(struct aggregate_cell *c, int64_t from)
{
	for (size_t i = 0; i < c->buckets.count; i++) {
		if (c->buckets.items[i].from == from) {
			return &c->buckets.items[i];
		}
	}
	return NULL;
}

/* True if the other value takes the place of the first one: an extreme of both. */
static bool replaces(const struct aggregate_bucket *b, const struct aggregate_bucket *by,
	enum aggregate_kind kind)
{
	bool is_less =
		b->is_float || by->is_float ? by->fraction < b->fraction : by->integer < b->integer;
	bool is_more =
		b->is_float || by->is_float ? by->fraction > b->fraction : by->integer > b->integer;

	return kind == AGGREGATE_MIN ? is_less : is_more;
}

static void merge_into(
	struct aggregate_bucket *b, const struct aggregate_bucket *from, enum aggregate_kind kind)
{
	if (kind == AGGREGATE_MIN || kind == AGGREGATE_MAX) {
		*b = replaces(b, from, kind) ? *from : *b;
		return;
	}
	b->integer = (int64_t)((uint64_t)b->integer + (uint64_t)from->integer);
	b->fraction += from->fraction;
	b->is_float |= from->is_float;
}

static void merge(struct aggregates *a, const struct aggregate_source *s)
{
	struct aggregate_table *t = table_of(a, s);
	size_t function = find_function(t, s);
	struct aggregate_cell *c = &row_of(a, t, s)->cells[function];
	struct aggregate_bucket *b = bucket_of(c, s->value.from);

	if (!b) {
		vec_push(&c->buckets, s->value);
	} else {
		merge_into(b, &s->value, t->functions.items[function].kind);
	}
}

/* ---- Order ---- */

static int by_from(const void *va, const void *vb)
{
	const struct aggregate_bucket *a = va;
	const struct aggregate_bucket *b = vb;

	return (a->from > b->from) - (a->from < b->from);
}

static uint64_t calls_of(const struct aggregate_row *r)
{
	return aggregate_total(&r->cells[0], AGGREGATE_COUNT);
}

static bool is_other(const struct aggregate_row *r)
{
	return strcmp(r->key, OWN_AGGREGATE_OTHER) == 0;
}

static int by_calls(const void *va, const void *vb)
{
	const struct aggregate_row *a = va;
	const struct aggregate_row *b = vb;

	if (is_other(a) != is_other(b)) {
		return is_other(a) ? 1 : -1;
	}
	if (calls_of(a) != calls_of(b)) {
		return calls_of(a) < calls_of(b) ? 1 : -1;
	}
	return strcmp(a->key, b->key);
}

static void sort(struct aggregate_table *t)
{
	for (size_t i = 0; i < t->rows.count; i++) {
		for (size_t f = 0; f < t->functions.count; f++) {
			struct aggregate_cell *c = &t->rows.items[i].cells[f];

			if (c->buckets.count) {
				qsort(c->buckets.items, c->buckets.count, sizeof(*c->buckets.items),
					by_from);
			}
		}
	}
	qsort(t->rows.items, t->rows.count, sizeof(*t->rows.items), by_calls);
}

/* Each map has these two, which are shown if they are not 0. */
static bool is_shown(const struct aggregate_source *s)
{
	bool is_spare = strcmp(s->key, OWN_AGGREGATE_OTHER) == 0 &&
			(strcmp(s->function, names[AGGREGATE_LEFT_OUT]) == 0 ||
				strcmp(s->function, names[AGGREGATE_COUNT]) == 0);

	return s->value.integer || !is_spare;
}

static bool is_count(const struct aggregate_source *s)
{
	return strcmp(s->function, names[AGGREGATE_COUNT]) == 0;
}

void aggregates_end(struct aggregates *a)
{
	free_tables(a);
	for (size_t i = 0; i < a->sources.count; i++) {
		if (is_count(a->sources.items[i])) {
			add_function(a, a->sources.items[i]);
		}
	}
	for (size_t i = 0; i < a->sources.count; i++) {
		if (is_shown(a->sources.items[i])) {
			add_function(a, a->sources.items[i]);
		}
	}
	for (size_t i = 0; i < a->sources.count; i++) {
		if (is_shown(a->sources.items[i])) {
			merge(a, a->sources.items[i]);
		}
	}
	for (size_t i = 0; i < a->tables.count; i++) {
		sort(a->tables.items[i]);
	}
}

/* ---- Values ---- */

uint64_t aggregate_total(const struct aggregate_cell *c, enum aggregate_kind kind)
{
	uint64_t total = 0;

	for (size_t i = 0; i < c->buckets.count; i++) {
		const struct aggregate_bucket *b = &c->buckets.items[i];

		total += kind != AGGREGATE_AVG || b->from == 1 ? (uint64_t)b->integer : 0;
	}
	return total;
}

static unsigned int bits_of(int64_t v)
{
	return 64u - (unsigned int)__builtin_clzll((uint64_t)v);
}

int64_t aggregate_bucket_end(enum aggregate_kind kind, int64_t from)
{
	unsigned int digits = kind == AGGREGATE_QUANTILE ? 1 + OWN_QUANTILE_DIGITS : 1;
	uint64_t width =
		from > 0 && bits_of(from) > digits ? UINT64_C(1) << (bits_of(from) - digits) : 1;

	return (uint64_t)from + width > INT64_MAX && from > 0 ? INT64_MAX
							      : (int64_t)((uint64_t)from + width);
}

int64_t aggregate_quantile(const struct aggregate_cell *c, unsigned int parts)
{
	uint64_t total = aggregate_total(c, AGGREGATE_QUANTILE);
	uint64_t rank = total / 1000 * parts + (total % 1000 * parts + 999) / 1000;
	uint64_t seen = 0;

	for (size_t i = 0; i < c->buckets.count; i++) {
		const struct aggregate_bucket *b = &c->buckets.items[i];

		seen += (uint64_t)b->integer;
		if (seen >= rank) {
			int64_t end = aggregate_bucket_end(AGGREGATE_QUANTILE, b->from);

			return b->from < 0 ? b->from : b->from + (end - 1 - b->from) / 2;
		}
	}
	return 0;
}

/* ---- Keys ---- */

/* Copies a text in quotes without them; returns what follows it. */
static const char *copy_quoted(const char *s, char *to, size_t room)
{
	for (s++; *s && *s != '"'; s++) {
		s += *s == '\\' && s[1];
		if (room > 1) {
			*to++ = *s;
			room--;
		}
	}
	*to = '\0';
	return s + (*s == '"');
}

bool aggregate_next_key(
	const char **key, const char **field, size_t *field_length, char *value, size_t size)
{
	const char *equals = strchr(*key, '=');

	if (!equals) {
		return false;
	}
	*field = *key;
	*field_length = (size_t)(equals - *key);
	const char *s = equals + 1;

	if (*s == '"') {
		s = copy_quoted(s, value, size);
	} else {
		size_t length = strcspn(s, ",");
		size_t kept = length < size ? length : size - 1;

		memcpy(value, s, kept);
		value[kept] = '\0';
		s += length;
	}
	*key = s + strspn(s, ", ");
	return true;
}
