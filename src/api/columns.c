/* SPDX-License-Identifier: MIT */
/*
 * Events in batches, as arrays of a field. A number in a native trace is copied from its packet
 * without decoding the rest of the event.
 */
#include <stdlib.h>
#include <string.h>

#include "api/reader.h"
#include "base/memory.h"
#include "read/place.h"
#include "read/where.h"

/* Records that a batch has at one time. */
#define BATCH 64

/* ---- The values of one column ---- */

static uint64_t common_value(const struct record *rec, int field)
{
	switch (field) {
	case WAYMARK_COLUMN_TIME:
		return rec->ns;
	case WAYMARK_COLUMN_PID:
		return rec->pid;
	case WAYMARK_COLUMN_TID:
		return rec->tid;
	case WAYMARK_COLUMN_TRACE:
		return rec->trace;
	default:
		return 0;
	}
}

static struct expr_value decoded(
	struct waymark_reader *r, const struct place *p, const struct record *rec)
{
	if (!p->arg) {
		return (struct expr_value){ .type = EXPR_NONE };
	}
	return where_value(&p->arg->type, &reader_values(r->reader, rec)[p->index]);
}

static uint64_t integer_of(struct expr_value v)
{
	return v.type == EXPR_INTEGER ? v.as.integer
	       : v.type == EXPR_FLOAT ? (uint64_t)(int64_t)v.as.number
				      : 0;
}

static double double_of(struct expr_value v)
{
	if (v.type == EXPR_FLOAT) {
		return v.as.number;
	}
	return v.is_negative ? (double)(int64_t)v.as.integer : (double)integer_of(v);
}

static void fill_text(
	struct waymark_reader *r, const struct waymark_column *c, size_t at, struct expr_value v)
{
	bool is_text = v.type == EXPR_TEXT && v.as.text;

	c->texts[at] = is_text ? arena_strndup(&r->texts, v.as.text, v.length) : NULL;
	if (c->lengths) {
		c->lengths[at] = is_text ? v.length : 0;
	}
}

static void fill_one(struct waymark_reader *r, const struct waymark_column *c,
	const struct place *p, const struct record *rec, size_t at)
{
	struct expr_value v = c->field < 0 ? expr_integer(common_value(rec, c->field), false)
					   : decoded(r, p, rec);

	if (c->integers) {
		c->integers[at] = integer_of(v);
	}
	if (c->doubles) {
		c->doubles[at] = double_of(v);
	}
	if (c->texts) {
		fill_text(r, c, at, v);
	}
}

/* Fills a column with values of records of one class, from entry `at` on. */
static void fill(struct waymark_reader *r, const struct waymark_column *c,
	const struct record *records, size_t count, size_t at)
{
	const struct place p = place_of(r->reader, records->class, c->field);
	bool is_direct = p.is_direct && c->integers && !c->doubles && !c->texts;

	for (size_t i = 0; i < count && is_direct; i++) {
		c->integers[at + i] = place_load(&p, &records[i]);
	}
	for (size_t i = 0; i < count && !is_direct; i++) {
		fill_one(r, c, &p, &records[i], at + i);
	}
}

/* ---- Batches ---- */

/* Has a next batch of records; false if the next record is behind what the reader can take. */
static bool has_batch(struct waymark_reader *r)
{
	if (!r->batch) {
		r->batch = xcalloc(BATCH, sizeof(*r->batch));
	}
	while (r->batch_at >= r->batch_count) {
		size_t count = reader_take(r->reader, r->batch, BATCH);

		if (count == 0) {
			return false;
		}
		r->batch_at = 0;
		r->batch_count = r->is_filtered ? filter_keep(&r->filter, r->batch, count) : count;
	}
	return true;
}

/* Returns the number of records from the current one on that are of the event, or are not. */
static size_t alike(const struct waymark_reader *r, size_t event, bool is_of_event, size_t most)
{
	size_t count = 0;

	while (r->batch_at + count < r->batch_count && count < most &&
		(r->batch[r->batch_at + count].class->index == event) == is_of_event) {
		count++;
	}
	return count;
}

/* Fills columns from batches; returns the number of events. */
static size_t fill_from_batches(
	struct waymark_reader *r, size_t event, const struct waymark_columns *to)
{
	size_t filled = 0;

	while (filled < to->room && has_batch(r)) {
		r->batch_at += alike(r, event, false, BATCH);
		size_t count = alike(r, event, true, to->room - filled);

		for (size_t i = 0; i < to->count && count > 0; i++) {
			fill(r, &to->columns[i], &r->batch[r->batch_at], count, filled);
		}
		r->batch_at += count;
		filled += count;
	}
	return filled;
}

int waymark_reader_columns(
	struct waymark_reader *r, size_t event, const struct waymark_columns *to, size_t *filled)
{
	arena_fini(&r->texts);
	arena_init(&r->texts);
	*filled = fill_from_batches(r, event, to);
	while (*filled == 0 && to->room > 0) {
		enum read_result result = reader_next_wanted(r);

		if (result != READ_RECORD || r->record.kind != RECORD_EVENT) {
			return reader_note(r, result);
		}
		if (r->record.class->index == event) {
			for (size_t i = 0; i < to->count; i++) {
				fill(r, &to->columns[i], &r->record, 1, 0);
			}
			*filled = 1;
			break;
		}
		*filled = fill_from_batches(r, event, to);
	}
	/* The events have been read, so none is the current record; an older record is not valid.
	 */
	reader_note(r, READ_NOTHING);
	return *filled > 0 ? WAYMARK_READ_EVENT : WAYMARK_READ_NOTHING;
}
