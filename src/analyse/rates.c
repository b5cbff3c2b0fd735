/* SPDX-License-Identifier: MIT */
/*
 * Counts records in cells. An event of the class and thread of the class's previous one costs one
 * comparison: a class remembers its last cell. Windows are differences of totals, so that a record
 * changes one number. `waymark top` calls this; rate_rows.c makes rows.
 */
#include "analyse/rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

enum class_use { USE_COUNT, USE_SCOPE, USE_BEGIN, USE_END };

struct rates_class {
	bool is_known;
	enum class_use use;
	uint32_t name;
	uint32_t pid; /* of `cell` */
	uint32_t tid;
	uint32_t cell; /* RATES_NONE: none yet */
	uint32_t life; /* name in `pairs` */
	int key; /* the field that names the object */
	int field; /* whose values can be counted, or FIELD_NONE */
	bool is_integer; /* the key */
};

void rates_init(struct rates *r, int64_t ns)
{
	*r = (struct rates){ .from_ns = ns, .begin_ns = ns, .end_ns = ns };
	hash_init(&r->by_name);
}

static void free_lengths(struct rates_lengths *l)
{
	if (l) {
		distribution_fini(&l->all);
		distribution_fini(&l->window);
		distribution_fini(&l->open);
		free(l);
	}
}

void rates_leave(struct rates *r)
{
	if (r->reader) {
		pairs_fini(&r->pairs);
	}
	tuples_fini(&r->tuples);
	vec_fini(&r->classes);
	r->tuples = (struct tuples){ 0 };
	r->reader = NULL;
}

void rates_fini(struct rates *r)
{
	rates_leave(r);
	vec_foreach (struct rates_cell *, c, &r->cells) {
		free_lengths(c->lengths);
	}
	vec_foreach (struct rates_name *, n, &r->names) {
		free(n->text);
		free(n->pair);
		free(n->field);
		if (n->values) {
			value_counts_fini(n->values);
			free(n->values);
		}
	}
	vec_fini(&r->cells);
	vec_fini(&r->names);
	texts_fini(&r->categories);
	vec_fini(&r->bytes);
	hash_fini(&r->by_name);
	keys_fini(&r->index);
}

void rates_use(struct rates *r, struct reader *reader)
{
	rates_leave(r);
	pairs_init(&r->pairs, &reader->classes);
	r->reader = reader;
}

/* ---- Names and classes ---- */

static uint32_t category_of(struct rates *r, const char *name)
{
	const char *colon = strchr(name, ':');

	return texts_number(&r->categories, name, colon ? (size_t)(colon - name) : 0);
}

static uint32_t name_of(struct rates *r, const char *text)
{
	uintptr_t known = (uintptr_t)hash_get(&r->by_name, text);

	if (known) {
		return (uint32_t)(known - 1);
	}
	struct rates_name name = { .text = xstrdup(text), .category = category_of(r, text) };

	vec_push(&r->names, name);
	hash_add(&r->by_name, name.text, (void *)(uintptr_t)r->names.count);
	return (uint32_t)r->names.count - 1;
}

static int key_field(const struct event *e)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		if (e->args[i].is_key) {
			return (int)i;
		}
	}
	return FIELD_NONE;
}

/* Returns the key if the event begins or ends a declared life. */
static int life_key(const struct event *e)
{
	bool has_part = e && e->life && (e->life_part == LIFE_BEGIN || e->life_part == LIFE_END);

	return has_part ? key_field(e) : FIELD_NONE;
}

static bool needs_class(void *unused, const struct event_class *c)
{
	(void)unused;
	return life_key(c->event) != FIELD_NONE || pairs_may_have(c);
}

void rates_limit(struct reader *reader)
{
	const struct reader_needs needs = {
		.from_ns = INT64_MIN, .to_ns = INT64_MAX, .needs_class = needs_class
	};

	reader_limit(reader, &needs);
}

static void set_pair(struct rates_name *name, const char *pair)
{
	if (!name->pair) {
		name->pair = xstrdup(pair);
	}
}

/* Sets the part of a declared life that the event is, if its key is known. */
static void classify_life(struct rates *r, struct rates_class *class, const struct event_class *c)
{
	const struct event *e = c->event;
	char name[256];

	class->key = life_key(e);
	if (class->key == FIELD_NONE) {
		return;
	}
	/* No scope has a name with a newline. */
	int length = snprintf(name, sizeof(name), "\n%s", e->life);

	length = length < (int)sizeof(name) ? length : (int)sizeof(name) - 1;
	class->use = e->life_part == LIFE_BEGIN ? USE_BEGIN : USE_END;
	class->life = texts_number(&r->pairs.names, name, (size_t)length);
	class->is_integer = field_kind(c, class->key) == FIELD_INTEGER;
	if (class->use == USE_END) {
		set_pair(&r->names.items[class->name], e->life);
	}
}

static void classify_scope(struct rates *r, struct rates_class *class, const struct event_class *c)
{
	struct pairs_kind kind = pairs_kind_of(&r->pairs, c);

	class->use = kind.part == PAIRS_OTHER ? USE_COUNT : USE_SCOPE;
	if (kind.part == PAIRS_END) {
		set_pair(&r->names.items[class->name], r->pairs.names.items[kind.name]);
	}
}

/* Returns the field whose values can be counted. */
static int value_field(const struct rates *r, const struct event_class *c)
{
	if (!r->value_text) {
		return FIELD_NONE;
	}
	if (r->per && strcmp(r->per, RATES_PER_KEY) != 0) {
		return field_find(c, r->per);
	}
	return c->event ? key_field(c->event) : FIELD_NONE;
}

static void classify_values(struct rates *r, struct rates_class *class, const struct event_class *c)
{
	struct rates_name *name = &r->names.items[class->name];

	class->field = value_field(r, c);
	if (class->field == FIELD_NONE) {
		return;
	}
	if (!name->field) {
		name->field =
			xstrdup(class->field >= 0 ? c->event->args[class->field].name : r->per);
	}
	if (r->per) {
		rates_count_values(r, class->name);
	}
}

bool rates_count_values(struct rates *r, uint32_t name)
{
	struct rates_name *n = &r->names.items[name];

	if (n->field && !n->values) {
		n->values = xcalloc(1, sizeof(*n->values));
	}
	return n->field;
}

static COLD void classify(struct rates *r, const struct record *rec)
{
	const struct event_class *c = rec->class;
	struct rates_class class = {
		.is_known = true,
		.name = name_of(r, c->name),
		.cell = RATES_NONE,
	};

	classify_values(r, &class, c);
	classify_life(r, &class, c);
	if (class.use == USE_COUNT) {
		classify_scope(r, &class, c);
	}
	vec_reach(&r->classes, c->index);
	r->classes.items[c->index] = class;
}

/* ---- Cells ---- */

static uint32_t find_cell(struct rates *r, const struct record *rec, uint32_t name)
{
	struct key key = { .pid = rec->pid, .tid = rec->tid, .name = name + 1 };
	uint32_t cell = keys_get(&r->index, &key);

	if (cell == KEYS_NONE && r->cells.count >= RATES_CELLS_MAX) {
		key.pid = key.tid = 0;
		cell = keys_get(&r->index, &key);
	}
	if (cell == KEYS_NONE) {
		cell = (uint32_t)r->cells.count;
		vec_push(&r->cells,
			((struct rates_cell){ .name = name, .pid = key.pid, .tid = key.tid }));
		keys_swap(&r->index, &key, cell);
	}
	return cell;
}

/* ---- Latencies ---- */

static void add_length(struct rates *r, uint32_t cell)
{
	struct rates_cell *c = &r->cells.items[cell];
	uint64_t ns = r->pairs.span.end_ns - r->pairs.span.begin_ns;

	if (!c->lengths) {
		c->lengths = xcalloc(1, sizeof(*c->lengths));
	}
	distribution_add(&c->lengths->all, ns);
	distribution_add(&c->lengths->open, ns);
}

/* Begins or ends the life of the object that the key's bytes name. */
static enum pairs_result add_tuple(
	struct rates *r, const struct record *rec, const struct rates_class *c, struct key *key)
{
	r->bytes.count = 0;
	if (!field_append(&r->bytes, rec, reader_values(r->reader, rec), c->key)) {
		return PAIRS_NOTHING;
	}
	bool is_begin = c->use == USE_BEGIN;
	uint32_t number = is_begin ? tuples_hold(&r->tuples, r->bytes.items, r->bytes.count)
				   : tuples_find(&r->tuples, r->bytes.items, r->bytes.count);

	if (number == TUPLES_NONE) {
		return PAIRS_NOTHING;
	}
	key->scope = number;
	enum pairs_result result =
		is_begin ? pairs_begin(&r->pairs, rec, key, PAIRS_ANYWHERE, c->life)
			 : pairs_end(&r->pairs, rec, key);

	if (result == PAIRS_BEGUN_TWICE || result == PAIRS_ENDED) {
		tuples_release(&r->tuples, number);
	}
	return result;
}

static enum pairs_result add_life(
	struct rates *r, const struct record *rec, const struct rates_class *c)
{
	struct key key = { .trace = rec->trace, .pid = rec->pid, .name = c->life };
	uint64_t number;

	if (!c->is_integer) {
		return add_tuple(r, rec, c, &key);
	}
	if (!field_integer(rec, reader_values(r->reader, rec), c->key, &number)) {
		return PAIRS_NOTHING;
	}
	key.scope = (int64_t)number;
	return c->use == USE_BEGIN ? pairs_begin(&r->pairs, rec, &key, PAIRS_ANYWHERE, c->life)
				   : pairs_end(&r->pairs, rec, &key);
}

/* Takes the span of a pair that has ended, or begun twice. */
static void add_span(struct rates *r, const struct rates_class *c, bool has_ended)
{
	/* The number of a scope is never used again. */
	if (c->use != USE_SCOPE && pairs_is_doubtful(&r->pairs, &r->pairs.span)) {
		r->broken++;
	} else if (has_ended) {
		add_length(r, c->cell);
	} else {
		r->begun_twice++;
	}
}

static void add_pair(struct rates *r, const struct record *rec, const struct rates_class *c)
{
	enum pairs_result result =
		c->use == USE_SCOPE ? pairs_take(&r->pairs, r->reader, rec) : add_life(r, rec, c);

	if (result == PAIRS_ENDED || result == PAIRS_BEGUN_TWICE) {
		add_span(r, c, result == PAIRS_ENDED);
	} else if (UNLIKELY(pairs_open(&r->pairs) >= RATES_OPEN_MAX)) {
		struct reader *reader = r->reader;

		r->dropped += pairs_open(&r->pairs);
		rates_use(r, reader);
	}
}

/* ---- Values ---- */

static void add_value(struct rates *r, const struct record *rec, const struct rates_class *c)
{
	struct value_counts *counts = r->names.items[c->name].values;
	const struct value *values = reader_values(r->reader, rec);
	struct field_bytes *b = &r->bytes;

	b->count = 0;
	if (!field_append(b, rec, values, c->field) || b->count > VALUE_COUNTS_BYTES_MAX) {
		counts->others.events++;
	} else if (!value_counts_add(counts, b->items, b->count)) {
		char *text = field_text(rec, values, c->field, r->value_text);

		value_counts_keep(counts, b->items, b->count, text ? text : xstrdup(""));
	}
}

/* ---- Records and windows ---- */

void rates_add(struct rates *r, const struct record *rec)
{
	if (UNLIKELY(rec->kind == RECORD_GAP)) {
		uint32_t cell = find_cell(r, rec, RATES_NONE);

		losses_add(&r->cells.items[cell].losses, &rec->gap);
		losses_add(&r->losses, &rec->gap);
		pairs_gap(&r->pairs, rec);
		return;
	}
	size_t index = rec->class->index;

	if (UNLIKELY(index >= r->classes.count || !r->classes.items[index].is_known)) {
		classify(r, rec);
	}
	struct rates_class *c = &r->classes.items[index];

	if (UNLIKELY(c->tid != rec->tid || c->pid != rec->pid || c->cell == RATES_NONE)) {
		c->cell = find_cell(r, rec, c->name);
		c->pid = rec->pid;
		c->tid = rec->tid;
	}
	r->cells.items[c->cell].events++;
	r->events++;
	if (UNLIKELY(c->field != FIELD_NONE) && r->names.items[c->name].values) {
		add_value(r, rec, c);
	}
	if (c->use != USE_COUNT) {
		add_pair(r, rec, c);
	}
}

void rates_turn(struct rates *r, int64_t ns)
{
	r->window = r->window_lost = 0;
	vec_foreach (struct rates_cell *, c, &r->cells) {
		uint64_t lost = losses_events(&c->losses);

		c->window = c->events - c->events_before;
		c->events_before = c->events;
		c->window_lost = lost - c->lost_before;
		c->lost_before = lost;
		r->window += c->window;
		r->window_lost += c->window_lost;
		if (c->lengths) {
			distribution_fini(&c->lengths->window);
			c->lengths->window = c->lengths->open;
			c->lengths->open = (struct distribution){ 0 };
		}
	}
	vec_foreach (struct rates_name *, n, &r->names) {
		if (n->values) {
			value_counts_turn(n->values);
		}
	}
	r->window_skipped = r->skipped_ns - r->skipped_before;
	r->skipped_before = r->skipped_ns;
	r->begin_ns = r->end_ns;
	r->end_ns = ns > r->end_ns ? ns : r->end_ns;
}
