/* SPDX-License-Identifier: MIT */
/*
 * Reads the rows of lists from the traces: each list has a function that begins its rows, and one
 * that makes the next. view/lists.h has their names, columns and values.
 */
#include <string.h>

#include "sql/lists.h"
#include "view/path.h"

/* Takes the values of the row that was made. */
static bool take_row(struct list_cursor *c)
{
	for (size_t i = 0; i < c->made.count; i++) {
		const struct list_value *v = &c->made.values[i];

		if (v->is_integer) {
			c->cells[i] = (struct cell){ .integer = v->integer, .type = CELL_INTEGER };
		} else if (v->text) {
			c->cells[i] = (struct cell){
				.text = v->text, .length = (int)strlen(v->text), .type = CELL_TEXT
			};
		} else {
			c->cells[i] = (struct cell){ .type = CELL_NULL };
		}
	}
	return true;
}

/* Returns the next record, NULL at the end. */
static const struct record *next_record(struct list_cursor *c)
{
	if (++c->at >= c->count) {
		c->count = sql_scan_few(&c->scan, c->records);
		c->at = 0;
	}
	return c->count > 0 ? &c->records[c->at] : NULL;
}

/* ---- gaps ---- */

static bool next_gap(struct list_cursor *c)
{
	const struct record *rec;

	while ((rec = next_record(c))) {
		if (rec->kind == RECORD_GAP) {
			list_gap(&c->made, rec);
			return take_row(c);
		}
	}
	return false;
}

/* ---- scopes ---- */

static void begin_scopes(struct list_cursor *c)
{
	pairs_init(&c->pairs, &c->scan.reader->classes);
	c->has_pairs = true;
}

static void note_open(void *cursor, const struct scope_span *span)
{
	struct list_cursor *c = cursor;

	vec_push(&c->open, *span);
}

static bool next_scope(struct list_cursor *c)
{
	const struct record *rec;

	while (c->index == 0 && (rec = next_record(c))) {
		if (pairs_take(&c->pairs, c->scan.reader, rec) == PAIRS_ENDED) {
			const struct scope_span *s = &c->pairs.span;

			list_scope(&c->made, c->pairs.names.items[s->key.name], s, 0);
			return take_row(c);
		}
	}
	if (c->index == 0) {
		pairs_unfinished(&c->pairs, note_open, c);
	}
	if (c->index < c->open.count) {
		const struct scope_span *s = &c->open.items[c->index++];

		list_scope(&c->made, c->pairs.names.items[s->key.name], s,
			1 + pairs_is_doubtful(&c->pairs, s));
		return take_row(c);
	}
	c->index = SIZE_MAX;
	return false;
}

/* ---- lives ---- */

static void note_ended(void *cursor, const struct life *life)
{
	struct list_cursor *c = cursor;

	vec_push(&c->ended, ((struct ended_life){ *life, lives_key_text(&c->lives, life),
				    path_text(&c->lives.paths, life->path, NULL) }));
}

static void begin_lives(struct list_cursor *c)
{
	c->lives_options = (struct lives_options){
		.rules.filter = &c->scan.filter,
		.text = message_value_text,
		.max_open = SIZE_MAX,
		.data = c,
		.ended = note_ended,
	};
	lives_init(&c->lives, &c->lives_options, c->scan.reader);
	c->has_lives = true;
}

static void forget_ended(struct list_cursor *c)
{
	vec_foreach (struct ended_life *, e, &c->ended) {
		free(e->key);
		free(e->path);
	}
	c->ended.count = 0;
	c->index = 0;
}

/* Reads on until lives end, and returns them in that order. */
static bool next_life(struct list_cursor *c)
{
	const struct record *rec = NULL;

	while (c->index == c->ended.count && !c->is_life_over) {
		forget_ended(c);
		rec = next_record(c);
		if (rec && !*c->lives.error) {
			lives_add(&c->lives, rec);
		} else {
			lives_end(&c->lives);
			c->is_life_over = true;
		}
	}
	if (c->index == c->ended.count) {
		return false;
	}
	const struct ended_life *e = &c->ended.items[c->index++];

	list_life(&c->made, lives_kind_name(&c->lives, &e->life), &e->life, e->key, e->path);
	return take_row(c);
}

/* ---- threads and processes ---- */

static void begin_summary(struct list_cursor *c)
{
	size_t count;

	summary_init(&c->summary);
	c->has_summary = true;
	while ((count = sql_scan_few(&c->scan, c->records))) {
		summary_add_few(&c->summary, c->records, count);
	}
	summary_sort(&c->summary);
}

static bool next_thread(struct list_cursor *c)
{
	if (c->index == c->summary.threads.count) {
		return false;
	}
	list_thread(&c->made, &c->summary.threads.items[c->index++]);
	return take_row(c);
}

static bool next_process(struct list_cursor *c)
{
	if (c->index == c->scan.reader->trace_count) {
		return false;
	}
	list_process(&c->made, &c->summary, c->index++);
	return take_row(c);
}

/* ---- declarations ---- */

static bool next_declaration(struct list_cursor *c)
{
	/* Not the scan's reader: it may meet events only with their records. */
	const struct class_table *classes = &c->source->reader->classes;

	if (c->index == classes->all.count) {
		return false;
	}
	const struct event_class *class = classes->all.items[c->index];
	const struct event *e = class->event;

	list_declaration(&c->made, class, c->field);
	if (!e || c->field + 1 >= e->arg_count) {
		c->field = 0;
		c->index++;
	} else {
		c->field++;
	}
	return take_row(c);
}

/* ---- All ---- */

void list_forget(struct list_cursor *c)
{
	if (c->has_pairs) {
		pairs_fini(&c->pairs);
	}
	if (c->has_summary) {
		summary_fini(&c->summary);
	}
	if (c->has_lives) {
		forget_ended(c);
		lives_fini(&c->lives);
	}
	c->open.count = 0;
	c->has_pairs = c->has_summary = c->has_lives = c->is_life_over = false;
}

/* ---- The tables ---- */

const struct list sql_lists[LIST_KINDS] = {
	[LIST_GAPS] = { false, NULL, next_gap },
	[LIST_SCOPES] = { true, begin_scopes, next_scope },
	[LIST_LIVES] = { true, begin_lives, next_life },
	[LIST_THREADS] = { true, begin_summary, next_thread },
	[LIST_PROCESSES] = { true, begin_summary, next_process },
	[LIST_DECLARATIONS] = { false, NULL, next_declaration },
};
