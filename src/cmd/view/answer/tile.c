/* SPDX-License-Identifier: MIT */
/*
 * What is drawn of a time. A time with few records is read again, any other is drawn from the
 * levels.
 */
#include <inttypes.h>

#include "cmd/view/answer/answers.h"
#include "timeline/tile.h"

/* Records that are read for an answer: some 30 ms. */
#define NEAR_RECORDS (UINT64_C(1) << 18)

/* Of a trace without an index, which is read from its start for each answer: some 100 ms. */
#define ALL_RECORDS (UINT64_C(1) << 20)

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

void answer_put_tile(struct viewer *v, const struct tile *t, const char *far, struct out *out)
{
	out_printf(out, "{\"near\":%s,", far ? "false" : "true");
	if (far && *far) {
		out_printf(out, "\"far\":\"%s\",", far);
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

bool answer_read_near(struct viewer *v, struct near *n)
{
	struct filter filter;
	struct reader *r = session_open_beside(v->session, &filter);
	bool ok = false;

	if (r) {
		viewer_lock(v);
		begin_filter(v, n, &filter);
		struct nearing *nearing = near_begin(n, &v->levels, r);

		viewer_unlock(v);
		near_read(nearing);
		viewer_lock(v);
		near_end(nearing, &v->levels);
		ok = n->problems == 0 || v->problems > 0;
		viewer_unlock(v);
	}
	filter_fini(&filter);
	reader_close(r);
	return ok;
}

/* Reads all items of a time; false if they cannot be read, or are too many. */
static bool read_near(struct viewer *v, struct near *n, const struct time_range *range)
{
	*n = (struct near){ .from_ns = range->from, .to_ns = range->to, .limit = NEAR_RECORDS };
	bool ok = answer_read_near(v, n) && !n->is_cut;

	if (!ok) {
		near_fini(n);
	}
	return ok;
}

/* Why only counts are drawn of a short time. */
#define FAR_CHANGED                                                                              \
	"a trace was removed or has changed: its events are drawn as counts, as they were read " \
	"first"
#define FAR_LONG                                                                                    \
	"more than 1 million records without declarations: a part cannot be read alone, so events " \
	"are drawn as counts"

/* True if a part can be read without reading what is before it, or that is not much. */
static bool is_seekable(const struct viewer *v)
{
	return !v->meets_events || v->is_live || v->levels.records < ALL_RECORDS;
}

/*
 * Reads a time if it is in the levels, and so short that it can be read again for an answer.
 * Returns NULL, or why that is not so, as answer_put_tile() writes it.
 */
static const char *find_near(struct viewer *v, struct near *n, const struct time_range *range)
{
	viewer_lock(v);
	bool is_short = (v->is_done || range->to < v->levels.read_ns) &&
			levels_count(&v->levels, range->from, range->to) < NEAR_RECORDS;
	bool is_alone = is_seekable(v);

	viewer_unlock(v);
	if (!is_short) {
		return "";
	}
	if (!is_alone) {
		return FAR_LONG;
	}
	return read_near(v, n, range) ? NULL : FAR_CHANGED;
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
	struct near n;
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
	const char *far = find_near(v, &n, &range);

	make_tile(v, &t, far ? NULL : &n, &wish);
	answer_put_tile(v, &t, far, out);
	tile_fini(&t);
	if (!far) {
		near_fini(&n);
	}
	return 200;
}
