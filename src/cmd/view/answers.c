/* SPDX-License-Identifier: MIT */
/*
 * The questions of the page, a row each in a table, and their answers in JSON. Times are in ns
 * since the first record of the traces, which JavaScript's numbers hold exactly up to a hundred
 * days.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "cmd/view/view.h"
#include "read/where.h"
#include "timeline/tile.h"
#include "view/lines.h"
#include "view/message/json.h"

/* Records that are read for an answer: some 30 ms. */
#define NEAR_RECORDS (UINT64_C(1) << 18)

/* Items of an answer: at most about 100 KB. */
#define TILE_ITEMS 3000
#define COLUMNS_MAX 4000
#define TRACKS_MAX 1000

/* ---- Arguments ---- */

static unsigned int refuse(struct out *out, const char *name, const char *text)
{
	out->len = 0;
	out_str(out, "{\"error\":");
	json_out_string(out, name);
	out_printf(out, ",\"wanted\":\"%s\"}", text);
	return 400;
}

/* Reads a decimal number of at most 18 digits. */
static bool get_number(const struct question *q, const char *name, uint64_t *number)
{
	const char *text = q->get(q->data, name);
	size_t length = text ? strspn(text, "0123456789") : 0;

	if (length == 0 || length > 18 || text[length]) {
		return false;
	}
	*number = strtoull(text, NULL, 10);
	return true;
}

struct range {
	int64_t from;
	int64_t to;
};

static int64_t first_ns(struct viewer *v)
{
	viewer_lock(v);
	int64_t ns = v->levels.first_ns;

	viewer_unlock(v);
	return ns;
}

/* Reads a time as of the traces, which is not empty. */
static bool get_range(struct viewer *v, const struct question *q, struct range *range)
{
	uint64_t from;
	uint64_t to;

	if (!get_number(q, "from", &from) || !get_number(q, "to", &to) || from >= to) {
		return false;
	}
	range->from = first_ns(v) + (int64_t)from;
	range->to = first_ns(v) + (int64_t)to;
	return true;
}

/* Reads numbers with commas between them. */
static bool get_tracks(const struct question *q, uint32_t *tracks, size_t *count)
{
	const char *text = q->get(q->data, "tracks");

	*count = 0;
	while (text && *text && *count < TRACKS_MAX) {
		size_t length = strspn(text, "0123456789");

		if (length == 0 || length > 9 || (text[length] && text[length] != ',')) {
			return false;
		}
		tracks[(*count)++] = (uint32_t)strtoul(text, NULL, 10);
		text += length + (text[length] == ',');
	}
	return *count > 0 && !*text;
}

/* ---- /api/trace ---- */

static void put_processes(const struct levels *l, struct out *out)
{
	out_str(out, "\"processes\":[");
	for (size_t i = 0; i < l->timeline.processes.count; i++) {
		const struct timeline_process *p = &l->timeline.processes.items[i];

		out_printf(out, "%s{\"trace\":%u,\"pid\":%u,\"name\":", i ? "," : "", p->trace,
			p->pid);
		json_out_string(out, p->name);
		out_char(out, '}');
	}
	out_str(out, "],");
}

static void put_tracks(const struct levels *l, struct out *out)
{
	out_str(out, "\"tracks\":[");
	for (size_t i = 0; i < l->tracks.count; i++) {
		const struct level_track *t = &l->tracks.items[i];

		out_printf(out,
			"%s{\"process\":%u,\"tid\":%u,\"depth\":%zu,\"events\":%s,\"lane\":",
			i ? "," : "", t->process, t->tid, t->slices.count,
			t->events.cells ? "true" : "false");
		if (t->is_lane) {
			json_out_string(out, t->name);
		} else {
			out_str(out, "null");
		}
		out_char(out, '}');
	}
	out_str(out, "],");
}

static void put_names(const struct reader *r, struct out *out)
{
	out_str(out, "\"names\":[null");
	vec_foreach (struct event_class *const *, class, &r->classes.all) {
		out_char(out, ',');
		json_out_string(out, (*class)->name);
	}
	out_str(out, "]}");
}

static unsigned int answer_trace(struct viewer *v, const struct question *q, struct out *out)
{
	const struct levels *l = &v->levels;
	const struct reader *r = v->session->reader;

	(void)q;
	viewer_lock(v);
	out_str(out, "{\"paths\":[");
	for (size_t i = 0; i < v->session->trace_count; i++) {
		out_str(out, i ? "," : "");
		json_out_string(out, v->session->traces[i]);
	}
	out_printf(out,
		"],\"done\":%s,\"records\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"length\":%" PRId64
		",\"first\":\"%" PRId64 "\",\"realtime\":\"%" PRIu64 "\",\"step\":%" PRIu64
		",\"problems\":%" PRIu64 ",\"problem\":",
		v->is_done ? "true" : "false", l->records, l->lost, l->last_ns - l->first_ns,
		l->first_ns, r->traces[0].has_realtime ? r->traces[0].realtime : 0,
		UINT64_C(1) << l->shift, v->problems);
	json_out_string(out, v->problem);
	out_char(out, ',');
	put_processes(l, out);
	put_tracks(l, out);
	put_names(r, out);
	viewer_unlock(v);
	return 200;
}

/* ---- /api/tile ---- */

static void put_item(int64_t first, const struct tile_item *item, struct out *out)
{
	out_printf(out, "[%" PRId64 ",", item->begin_ns > first ? item->begin_ns - first : 0);
	if (item->end_ns == NEAR_OPEN) {
		out_str(out, "null");
	} else {
		out_printf(out, "%" PRId64, item->end_ns - first);
	}
	out_printf(out, ",%u,%u,%" PRIu64, item->name, item->count, item->covered);
	if (item->offset > 0) {
		out_printf(out, ",%" PRIu64 ",%u", item->offset, item->trace);
	}
	out_char(out, ']');
}

static void put_tile(struct viewer *v, const struct tile *t, bool is_near, struct out *out)
{
	int64_t first = first_ns(v);
	static const char *const kinds[] = {
		[NEAR_SLICE] = "slice", [NEAR_EVENT] = "event", [NEAR_LOSS] = "loss"
	};

	out_printf(out, "{\"near\":%s,\"rows\":[", is_near ? "true" : "false");
	for (size_t i = 0; i < t->rows.count; i++) {
		const struct tile_row *row = &t->rows.items[i];

		out_printf(out, "%s{\"track\":%u,\"kind\":\"%s\",\"depth\":%u,\"items\":[",
			i ? "," : "", row->track, kinds[row->kind], row->depth);
		for (size_t k = 0; k < row->items.count; k++) {
			out_str(out, k ? "," : "");
			put_item(first, &row->items.items[k], out);
		}
		out_str(out, "]}");
	}
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

/* Reads a part of the traces; false if that is not possible. Without the lock. */
static bool read_near(struct viewer *v, struct near *n, const struct range *range)
{
	struct filter filter;
	struct reader *r = session_open_beside(v->session, &filter);
	bool ok = false;

	*n = (struct near){ .from_ns = range->from, .to_ns = range->to, .limit = NEAR_RECORDS };
	if (r) {
		viewer_lock(v);
		begin_filter(v, n, &filter);
		ok = near_read(n, &v->levels, r);
		viewer_unlock(v);
		ok = ok && !n->is_cut;
		if (!ok) {
			near_fini(n);
		}
	}
	filter_fini(&filter);
	reader_close(r);
	return ok;
}

/* True if the time is read already, and so short that it can be read again for an answer. */
static bool is_near(struct viewer *v, const struct range *range)
{
	viewer_lock(v);
	bool is = !v->meets_events && (v->is_done || range->to < v->levels.last_ns) &&
		  levels_count(&v->levels, range->from, range->to) < NEAR_RECORDS;

	viewer_unlock(v);
	return is;
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
			viewer_unlock(v);
		}
		if (t->items <= TILE_ITEMS || wish->columns <= 1) {
			return;
		}
		tile_fini(t);
		wish->columns /= 2;
	}
}

static unsigned int answer_tile(struct viewer *v, const struct question *q, struct out *out)
{
	struct range range;
	uint64_t columns;
	uint32_t tracks[TRACKS_MAX];
	struct tile_wish wish = { .tracks = tracks };
	struct near n;
	struct tile t;

	if (!get_range(v, q, &range)) {
		return refuse(out, "from, to", "two times in ns, the earlier one first");
	}
	if (!get_number(q, "columns", &columns) || columns == 0 || columns > COLUMNS_MAX) {
		return refuse(out, "columns", "a number from 1 to 4000");
	}
	if (!get_tracks(q, tracks, &wish.track_count)) {
		return refuse(out, "tracks", "numbers of tracks with commas, at most 1000");
	}
	wish.from_ns = range.from;
	wish.to_ns = range.to;
	wish.columns = (size_t)columns;
	bool near = is_near(v, &range) && read_near(v, &n, &range);

	make_tile(v, &t, near ? &n : NULL, &wish);
	put_tile(v, &t, near, out);
	tile_fini(&t);
	if (near) {
		near_fini(&n);
	}
	return 200;
}

/* ---- /api/event ---- */

/* Writes the record at an offset as the object of `waymark print --json`; false: it is not there.
 */
static bool put_record(
	struct reader *r, int64_t ns, uint64_t trace, uint64_t offset, struct out *out)
{
	const struct reader_needs needs = { .from_ns = ns, .to_ns = ns };
	struct lines lines;
	struct record rec;
	bool is_found = false;

	reader_limit(r, &needs);
	lines_init(&lines, out, r, &lines_json, TIMESTAMP_ABSOLUTE);
	while (!is_found && reader_next(r, &rec) == READ_RECORD && (int64_t)rec.ns <= ns) {
		is_found = (int64_t)rec.ns == ns && rec.trace == trace && rec.offset == offset;
	}
	if (is_found) {
		lines_put_few(&lines, &rec, 1);
	}
	lines_fini(&lines);
	return is_found;
}

static unsigned int answer_event(struct viewer *v, const struct question *q, struct out *out)
{
	uint64_t ns;
	uint64_t trace;
	uint64_t offset;
	struct filter filter;
	bool is_found = false;

	if (!get_number(q, "ns", &ns) || !get_number(q, "trace", &trace) ||
		!get_number(q, "offset", &offset)) {
		return refuse(out, "ns, trace, offset", "numbers of an item of a tile");
	}
	struct reader *r = session_open_beside(v->session, &filter);

	if (r) {
		is_found = put_record(r, (int64_t)ns + first_ns(v), trace, offset, out);
	}
	filter_fini(&filter);
	reader_close(r);
	return is_found ? 200 : refuse(out, "offset", "the place of an event");
}

/* ---- /api/find ---- */

/* Returns the expression of a question; NULL, with the answer, if it is wrong or fits no event. */
static struct where *get_where(struct viewer *v, const struct question *q, struct out *out)
{
	const char *text = q->get(q->data, "where");
	const char *misfit = NULL;
	struct expr_error error;
	struct where *w = text ? where_parse(text, &error) : NULL;

	if (!text) {
		refuse(out, "where", "an expression");
		return NULL;
	}
	viewer_lock(v);
	bool fits = w && where_check(w, v->session->reader, &error, &misfit);

	viewer_unlock(v);
	if (fits) {
		return w;
	}
	out_str(out, "{\"error\":");
	json_out_string(out, error.text);
	out_printf(out, ",\"at\":%zu,\"help\":", error.at);
	json_out_string(out, error.help);
	out_char(out, '}');
	where_free(w);
	return NULL;
}

/*
 * Finds the first event after a time, or the last one before it, for which the expression is true.
 */
static bool find_event(
	struct reader *r, struct filter *f, int64_t ns, bool is_back, struct record *found)
{
	enum read_result result;
	bool is_found = false;
	struct record rec;

	while ((result = reader_next(r, &rec)) == READ_RECORD || result == READ_PROBLEM) {
		if (result == READ_PROBLEM || rec.kind != RECORD_EVENT) {
			continue;
		}
		if (is_back && (int64_t)rec.ns >= ns) {
			break;
		}
		if ((is_back || (int64_t)rec.ns > ns) && filter_passes(f, &rec)) {
			*found = rec;
			is_found = true;
			if (!is_back) {
				break;
			}
		}
	}
	return is_found;
}

static void put_found(struct viewer *v, const struct record *rec, struct out *out)
{
	viewer_lock(v);
	uint32_t track = levels_thread(&v->levels, rec->trace, rec->pid, rec->tid);

	viewer_unlock(v);
	out_printf(out,
		"{\"ns\":%" PRId64 ",\"name\":%zu,\"trace\":%u,\"offset\":%" PRIu64
		",\"track\":%u}",
		(int64_t)rec->ns - first_ns(v), rec->class->index + 1, rec->trace, rec->offset,
		track);
}

static unsigned int answer_find(struct viewer *v, const struct question *q, struct out *out)
{
	const char *back = q->get(q->data, "back");
	bool is_back = back && strcmp(back, "1") == 0;
	uint64_t ns;
	struct filter filter;
	struct record found;

	if (!get_number(q, "ns", &ns)) {
		return refuse(out, "ns", "a time in ns");
	}
	struct where *where = get_where(v, q, out);

	if (!where) {
		return 400;
	}
	struct reader *r = session_open_beside(v->session, &filter);
	int64_t from = first_ns(v) + (int64_t)ns;

	where_free(filter.where);
	filter.where = where;
	if (r) {
		filter.from = (struct filter_time){ .ns = from, .set = !is_back };
		filter.to = (struct filter_time){ .ns = from, .set = is_back };
		filter_start(&filter, r);
		filter_limit(&filter);
	}
	if (r && find_event(r, &filter, from, is_back, &found)) {
		put_found(v, &found, out);
	} else {
		out_str(out, "null");
	}
	filter_fini(&filter);
	reader_close(r);
	return 200;
}

/* ---- All ---- */

static const struct {
	const char *path;
	unsigned int (*answer)(struct viewer *v, const struct question *q, struct out *out);
} answers[] = {
	{ "/api/trace", answer_trace },
	{ "/api/tile", answer_tile },
	{ "/api/event", answer_event },
	{ "/api/find", answer_find },
};

unsigned int view_answer(
	struct viewer *v, const char *path, const struct question *q, struct out *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		if (strcmp(answers[i].path, path) == 0) {
			return answers[i].answer(v, q, out);
		}
	}
	return 404;
}
