/* SPDX-License-Identifier: MIT */
/*
 * Events in batches, as arrays of a field. A number in a native trace is copied from its packet
 * without decoding the rest of the event.
 */
#include <string.h>

#include "api/reader.h"
#include "base/memory.h"
#include "read/layout.h"
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

static void fill_text(struct waymark_reader *r, const struct waymark_column *c, size_t at,
	const struct expr_value *v)
{
	bool is_text = v->type == EXPR_TEXT && v->as.text;

	c->texts[at] = is_text ? arena_strndup(&r->texts, v->as.text, v->length) : NULL;
	if (c->lengths) {
		c->lengths[at] = is_text ? v->length : 0;
	}
}

static void fill_common(struct waymark_reader *r, const struct waymark_column *c,
	const struct record *rec, size_t at)
{
	const struct expr_value none = { .type = EXPR_NONE };
	uint64_t v = common_value(rec, c->field);

	if (c->integers) {
		c->integers[at] = v;
	}
	if (c->doubles) {
		c->doubles[at] = (double)v;
	}
	if (c->texts) {
		fill_text(r, c, at, &none);
	}
}

static void fill_field(struct waymark_reader *r, const struct waymark_column *c,
	const struct place *p, const struct record *rec, size_t at)
{
	const struct type *t = p->arg ? &p->arg->type : NULL;
	const struct value *v = p->arg ? &reader_values(r->reader, rec)[p->index] : NULL;

	if (c->integers) {
		c->integers[at] = reader_integer(t, v).low;
	}
	if (c->doubles) {
		c->doubles[at] = reader_double(t, v);
	}
	if (c->texts) {
		const struct expr_value text =
			v ? where_value(t, v) : (struct expr_value){ .type = EXPR_NONE };

		fill_text(r, c, at, &text);
	}
}

/* Fills a column with values of records of one class, from entry `at` on. */
static void fill(struct waymark_reader *r, const struct waymark_column *c,
	const struct record *records, size_t count, size_t at)
{
	const struct place p = place_of(r->reader, records->class, c->field);
	bool is_direct = p.is_direct && c->integers && !c->doubles && !c->texts;

	for (size_t i = 0; i < count; i++) {
		if (is_direct) {
			c->integers[at + i] = place_load(&p, &records[i]);
		} else if (c->field < 0) {
			fill_common(r, c, &records[i], at + i);
		} else {
			fill_field(r, c, &p, &records[i], at + i);
		}
	}
}

/* ---- Batches ---- */

/*
 * Has a next batch of records for `room` events; false if the next record is behind what the reader
 * can take.
 */
static bool has_batch(struct waymark_reader *r, size_t event, size_t room)
{
	const struct event_class *class = reader_class_of(r, event);

	room = room < BATCH ? room : BATCH;
	if (!r->batch) {
		r->batch = xcalloc(BATCH, sizeof(*r->batch));
	}
	while (r->batch_at >= r->batch_count) {
		size_t count = reader_take_of(r->reader, class, r->batch, room);

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

	while (filled < to->room && has_batch(r, event, to->room - filled)) {
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
