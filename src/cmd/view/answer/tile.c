/* SPDX-License-Identifier: MIT */
/*
 * What is drawn of a time. A time with few records is read again, any other is drawn from the
 * levels.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/view/answer/answers.h"
#include "cmd/view/answer/running.h"
#include "timeline/tile.h"
#include "view/message/json.h"

/* Records that are read for an answer: some 30 ms. */
#define NEAR_RECORDS (UINT64_C(1) << 18)

/* Items of an answer: at most about 100 KB. */
#define TILE_ITEMS 3000

static void put_item(int64_t first, const struct tile_item *item, struct out *out)
{
	out_printf(out, "[%" PRId64 ",",
		item->begin_ns > first ? view_since(first, item->begin_ns) : 0);
	if (item->end_ns == NEAR_OPEN) {
		out_str(out, "null");
	} else {
		out_printf(out, "%" PRId64, view_since(first, item->end_ns));
	}
	out_printf(out, ",%u,%u,%" PRIu64, item->name, item->count, item->covered);
	if (item->offset > 0) {
		out_printf(out, ",%" PRIu64 ",%u", item->offset, item->trace);
	}
	out_char(out, ']');
}

static void put_rows(struct viewer *v, const struct tile *t, bool estimates, struct out *out)
{
	int64_t first = viewer_first_ns(v);
	static const char *const kinds[] = { [NEAR_SLICE] = "slice",
		[NEAR_EVENT] = "event",
		[NEAR_LOSS] = "loss",
		[NEAR_ESTIMATE] = "estimate" };
	bool is_first = true;

	vec_foreach (const struct tile_row *, row, &t->rows) {
		if ((row->kind == NEAR_ESTIMATE) != estimates) {
			continue;
		}
		out_printf(out, "%s{\"track\":%u,\"kind\":\"%s\",\"depth\":%u,\"items\":[",
			is_first ? "" : ",", row->track, kinds[row->kind], row->depth);
		is_first = false;
		for (size_t k = 0; k < row->items.count; k++) {
			out_str(out, k ? "," : "");
			put_item(first, &row->items.items[k], out);
		}
		out_str(out, "]}");
	}
}

void answer_put_tile(
	struct viewer *v, const struct tile *t, const struct answer_far *far, struct out *out)
{
	out_printf(out, "{\"near\":%s,", far ? "false" : "true");
	if (far && *far->text) {
		out_str(out, "\"far\":");
		json_out_string(out, far->text);
		out_printf(out, ",\"bad\":%s,", far->is_bad ? "true" : "false");
	}
	out_printf(out, "\"columns\":%zu,\"rows\":[", t->columns);
	put_rows(v, t, false, out);
	out_str(out, "],\"estimates\":[");
	put_rows(v, t, true, out);
	out_str(out, "]}");
}

/* Makes the part that is read have the records that the pass selects; under the lock. */
static void begin_filter(const struct viewer *v, struct near *n, struct filter *filter)
{
	const struct filter *all = &v->session->filter;

	/* Relative times count from the first record of the trace, not of the part. */
	filter->started = all->started;
	filter->first_ns = all->first_ns;
	n->filter = v->is_filtered ? filter : NULL;
}

/* Judges what was read; under the lock. */
static enum answer_near result_of(const struct viewer *v, const struct near *n)
{
	if (n->is_over && running_is_over(n->is_over)) {
		return NEAR_STOPPED;
	}
	if (n->is_cut) {
		return NEAR_TOO_MANY;
	}
	if (n->problems > v->problems) {
		return v->is_done ? NEAR_CHANGED : NEAR_NOT_YET;
	}
	return NEAR_READ;
}

static enum answer_near read_with(
	struct viewer *v, struct near *n, struct reader *r, struct filter *filter)
{
	viewer_lock(v);
	begin_filter(v, n, filter);
	struct nearing *nearing = near_begin(n, &v->levels, r);

	viewer_unlock(v);
	near_read(nearing);
	viewer_lock(v);
	near_end(nearing, &v->levels);
	enum answer_near result = result_of(v, n);

	viewer_unlock(v);
	n->filter = NULL; /* it is the caller's */
	return result;
}

enum answer_near answer_read_near(struct viewer *v, struct near *n, struct read_error *error)
{
	struct filter filter;
	enum answer_near result = NEAR_NOT_OPENED;

	if (n->is_over && running_is_over(n->is_over)) {
		return NEAR_STOPPED;
	}
	struct reader *r = session_open_again(v->session, &filter, error);

	if (r) {
		result = read_with(v, n, r, &filter);
	}
	filter_fini(&filter);
	reader_close(r);
	return result;
}

/* Reasons to draw only counts of a short time. */
#define FAR_CHANGED                                                                              \
	"a trace was removed or has changed: its events are drawn as counts, as they were read " \
	"first"
#define FAR_NOT_OPENED "a trace cannot be read again, so its events are drawn as counts: "
#define FAR_LONG                                                                                    \
	"more than 1 million records without declarations: a part cannot be read alone, so events " \
	"are drawn as counts"

/* True if a part can be read without reading what is before it, or that is not much. */
static bool is_seekable(const struct viewer *v)
{
	return !v->meets_events || v->is_live || v->levels.records < ALL_RECORDS;
}

/* How a time is drawn: by the items that were read, or from far. */
struct drawing {
	struct near near;
	struct answer_far far;
	char text[700]; /* of far, with an error */
	bool is_near;
	bool is_reading; /* among the few readings at one time, as long as there are items */
	bool is_stopped;
};

static void end_reading(struct viewer *v, struct drawing *d)
{
	near_fini(&d->near);
	if (d->is_reading) {
		sem_post(&v->readings);
		d->is_reading = false;
	}
}

static void read_near(struct viewer *v, struct drawing *d)
{
	while (sem_wait(&v->readings) != 0) { /* a signal */
	}
	d->is_reading = true;
	struct read_error error;
	enum answer_near result = answer_read_near(v, &d->near, &error);

	d->is_near = result == NEAR_READ;
	d->is_stopped = result == NEAR_STOPPED;
	if (result == NEAR_NOT_OPENED) {
		snprintf(d->text, sizeof(d->text), FAR_NOT_OPENED "%s", error.text);
		d->far = (struct answer_far){ d->text, true };
	} else if (result == NEAR_CHANGED) {
		d->far = (struct answer_far){ FAR_CHANGED, true };
	}
	if (!d->is_near) {
		end_reading(v, d);
	}
}

/* Reads a time if it is in the levels, and so short that it can be read again for an answer. */
static void find_near(struct viewer *v, struct drawing *d)
{
	const struct near *range = &d->near;

	d->far.text = "";
	viewer_lock(v);
	bool is_short = (v->is_done || range->to_ns < v->levels.read_ns) &&
			levels_count(&v->levels, range->from_ns, range->to_ns) < NEAR_RECORDS;
	bool is_alone = is_seekable(v);

	viewer_unlock(v);
	if (is_short && !is_alone) {
		d->far.text = FAR_LONG;
	} else if (is_short) {
		read_near(v, d);
	}
}

/* Makes a tile with fewer columns until it is small enough. */
static void make_tile(struct viewer *v, struct tile *t, struct near *n, struct tile_wish *wish)
{
	for (;;) {
		if (n) {
			tile_from_near(t, n, wish);
		} else {
			viewer_lock(v);
			tile_from_levels(t, &v->levels, wish);
			estimate_add(&v->estimate, &v->levels, t, wish);
			viewer_unlock(v);
		}
		if (t->items <= TILE_ITEMS || wish->columns <= 1) {
			return;
		}
		tile_fini(t);
		wish->columns /= 2;
	}
}

unsigned int answer_tile(struct viewer *v, const struct question *q, struct out *out)
{
	struct time_range range;
	uint32_t tracks[TRACKS_MAX];
	struct tile_wish wish = { .tracks = tracks };
	struct tile t;

	if (!question_range(v, q, &range)) {
		return answer_refuse(out, "from, to", "two times in ns, the earlier one first");
	}
	if (!question_columns(q, &wish.columns)) {
		return answer_refuse(out, "columns", COLUMNS_WANTED);
	}
	if (!question_tracks(q, tracks, &wish.track_count)) {
		return answer_refuse(out, "tracks", TRACKS_WANTED);
	}
	wish.from_ns = range.from;
	wish.to_ns = range.to;
	struct drawing d = { .near = { .from_ns = range.from,
				     .to_ns = range.to,
				     .limit = NEAR_RECORDS,
				     .is_over = q->is_over } };

	find_near(v, &d);
	if (d.is_stopped) {
		return answer_stopped(out);
	}
	make_tile(v, &t, d.is_near ? &d.near : NULL, &wish);
	end_reading(v, &d);
	answer_put_tile(v, &t, d.is_near ? NULL : &d.far, out);
	tile_fini(&t);
	return 200;
}
