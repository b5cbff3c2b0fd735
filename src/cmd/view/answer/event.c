/* SPDX-License-Identifier: MIT */
/* The fields of an event, and the events for which an expression is true. */
#include <inttypes.h>
#include <string.h>

#include "cmd/view/answer/answers.h"
#include "cmd/view/answer/running.h"
#include "read/where.h"
#include "view/lines.h"
#include "view/message/json.h"

/* ---- One event ---- */

/*
 * Of a running process, the clock is measured ever longer, so a reader that was opened later has
 * slightly other times; and what was in its memory may be in its file now, at another place.
 */
#define LIVE_SLACK_NS 1000000

/* What is known of an event that a tile has shown. */
struct event_place {
	int64_t ns;
	int64_t slack_ns;
	uint64_t trace;
	uint64_t offset;
	uint64_t name; /* as in the tile; 0: unknown */
};

/* How well a record fits a place: less is better; UINT64_MAX: not at all. */
static uint64_t misfit(struct viewer *v, const struct record *rec, const struct event_place *p)
{
	uint64_t away = (uint64_t)((int64_t)rec->ns > p->ns ? (int64_t)rec->ns - p->ns
							    : p->ns - (int64_t)rec->ns);

	if (rec->trace != p->trace || away > (uint64_t)p->slack_ns) {
		return UINT64_MAX;
	}
	if (p->slack_ns == 0) {
		return rec->offset == p->offset ? 0 : UINT64_MAX;
	}
	if (rec->kind != RECORD_EVENT || viewer_name(v, rec->class) != p->name) {
		return UINT64_MAX;
	}
	return rec->offset == p->offset ? away : away + LIVE_SLACK_NS;
}

/* Writes the record that fits best as the object of `waymark print --json`; false: there is none.
 */
static bool put_record(
	struct viewer *v, struct reader *r, const struct event_place *p, struct out *out)
{
	const struct reader_needs needs = {
		.from_ns = p->ns - p->slack_ns, .to_ns = p->ns + p->slack_ns, .is_part = true
	};
	uint64_t best = UINT64_MAX;
	enum read_result result;
	struct lines lines;
	struct record rec;

	reader_limit(r, &needs);
	lines_init(&lines, out, r, &lines_json, TIMESTAMP_ABSOLUTE);
	while (best > 0 && ((result = reader_next(r, &rec)) == READ_PROBLEM ||
				   (result == READ_RECORD && (int64_t)rec.ns <= needs.to_ns))) {
		uint64_t fit = result == READ_RECORD ? misfit(v, &rec, p) : UINT64_MAX;

		if (fit < best) {
			best = fit;
			out->len = 0;
			lines_put_few(&lines, &rec, 1);
		}
	}
	lines_fini(&lines);
	return best < UINT64_MAX;
}

unsigned int answer_event(struct viewer *v, const struct question *q, struct out *out)
{
	struct event_place p = { 0 };
	struct filter filter;
	bool is_found = false;
	uint64_t ns;

	if (!question_number(q, "ns", &ns) || !question_number(q, "trace", &p.trace) ||
		!question_number(q, "offset", &p.offset)) {
		return answer_refuse(out, "ns, trace, offset", "numbers of an item of a tile");
	}
	p.ns = viewer_time(v, ns);
	p.slack_ns = v->is_live && question_number(q, "name", &p.name) ? LIVE_SLACK_NS : 0;
	struct reader *r = session_open_beside(v->session, &filter);

	if (r) {
		is_found = put_record(v, r, &p, out);
	}
	filter_fini(&filter);
	reader_close(r);
	return is_found ? 200 : answer_refuse(out, "offset", "the place of an event");
}

/* ---- Finding ---- */

struct where *answer_where(struct viewer *v, const struct question *q, struct out *out)
{
	const char *text = q->get(q->data, "where");
	const char *misfit = NULL;
	struct expr_error error;
	struct where *w = text ? where_parse(text, &error) : NULL;

	if (!text) {
		answer_refuse(out, "where", "an expression");
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
	const struct question *q, struct filter *f, int64_t ns, bool is_back, struct record *found)
{
	enum read_result result;
	bool is_found = false;
	struct record rec;

	while (!running_is_over(q->is_over) &&
		((result = reader_next(f->reader, &rec)) == READ_RECORD ||
			result == READ_PROBLEM)) {
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
		"{\"ns\":%" PRId64 ",\"name\":%u,\"trace\":%u,\"offset\":%" PRIu64 ",\"track\":%u}",
		view_since(viewer_first_ns(v), (int64_t)rec->ns), viewer_name(v, rec->class),
		rec->trace, rec->offset, track);
}

unsigned int answer_find(struct viewer *v, const struct question *q, struct out *out)
{
	const char *back = q->get(q->data, "back");
	bool is_back = back && strcmp(back, "1") == 0;
	uint64_t ns;
	struct filter filter;
	struct record found;

	if (!question_number(q, "ns", &ns)) {
		return answer_refuse(out, "ns", "a time in ns");
	}
	struct where *where = answer_where(v, q, out);

	if (!where) {
		return 400;
	}
	struct reader *r = session_open_beside(v->session, &filter);
	int64_t from = viewer_time(v, ns);

	where_free(filter.where);
	filter.where = where;
	if (r) {
		filter.from = (struct filter_time){ .ns = from, .set = !is_back };
		filter.to = (struct filter_time){ .ns = from, .set = is_back };
		filter_start(&filter, r);
		filter_limit(&filter);
	}
	if (r && find_event(q, &filter, from, is_back, &found)) {
		put_found(v, &found, out);
	} else {
		out_str(out, "null");
	}
	filter_fini(&filter);
	reader_close(r);
	return 200;
}
