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

/* What is known of an event that a tile has shown. */
struct event_place {
	uint64_t ns; /* since the first record */
	uint64_t trace;
	uint64_t offset;
	uint64_t name; /* as in the tile; 0: unknown */
};

static bool is_at(
	struct viewer *v, const struct record *rec, const struct event_place *p, bool by_name)
{
	if ((int64_t)rec->ns != viewer_time(v, p->ns) || rec->trace != p->trace) {
		return false;
	}
	return by_name ? rec->kind == RECORD_EVENT && viewer_name(v, rec->class) == p->name
		       : rec->offset == p->offset;
}

/* Writes the record at a place as the object of `waymark print --json`; false: it is not there. */
static bool put_record(struct viewer *v, const struct event_place *p, bool by_name, struct out *out)
{
	int64_t ns = viewer_time(v, p->ns);
	const struct reader_needs needs = { .from_ns = ns, .to_ns = ns, .is_part = true };
	struct filter filter;
	struct reader *r = session_open_beside(v->session, &filter);
	enum read_result result;
	struct lines lines;
	struct record rec;
	bool is_found = false;

	filter_fini(&filter);
	if (!r) {
		return false;
	}
	reader_limit(r, &needs);
	lines_init(&lines, out, r, &lines_json, TIMESTAMP_ABSOLUTE);
	while (!is_found && ((result = reader_next(r, &rec)) == READ_PROBLEM ||
				    (result == READ_RECORD && (int64_t)rec.ns <= ns))) {
		is_found = result == READ_RECORD && is_at(v, &rec, p, by_name);
	}
	if (is_found) {
		lines_put_few(&lines, &rec, 1);
	}
	lines_fini(&lines);
	reader_close(r);
	return is_found;
}

unsigned int answer_event(struct viewer *v, const struct question *q, struct out *out)
{
	struct event_place p = { 0 };

	if (!question_number(q, "ns", &p.ns) || !question_number(q, "trace", &p.trace) ||
		!question_number(q, "offset", &p.offset)) {
		return answer_refuse(out, "ns, trace, offset", "numbers of an item of a tile");
	}
	question_number(q, "name", &p.name);
	/* What was in the memory of a process may be in its file now, at another place. */
	bool is_found = put_record(v, &p, false, out) ||
			(v->is_live && p.name > 0 && put_record(v, &p, true, out));

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
