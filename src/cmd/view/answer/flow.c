/* SPDX-License-Identifier: MIT */
/*
 * The events of the objects that an event names by its keys, or of its flow: in a time, across
 * threads. timeline/timeline.h decides which events these are, as for exports.
 */
#include <inttypes.h>

#include "cmd/view/answer/answers.h"
#include "cmd/view/answer/running.h"
#include "timeline/timeline.h"

/* Events of an answer, and records that are read for it. */
#define EVENTS_MAX 1000
#define RECORDS_MAX (UINT64_C(1) << 22)

struct flowing {
	struct viewer *viewer;
	struct timeline timeline;
	uint64_t ns; /* of the event whose flows are wanted */
	uint64_t trace;
	uint64_t offset;
	struct timeline_flows flows;
	bool is_known; /* the event was found, others of its flows are written */
	struct out *out;
	size_t count;
	volatile sig_atomic_t *is_over;
};

/* ---- The style ---- */

static void add_thread(void *flowing, const struct timeline_thread *thread)
{
	(void)flowing;
	(void)thread;
}

static void add_gap(void *flowing, const struct timeline_thread *thread, const struct record *rec)
{
	(void)flowing;
	(void)thread;
	(void)rec;
}

static void add_value(void *flowing, const struct timeline_value *value)
{
	(void)flowing;
	(void)value;
}

static bool is_common(const struct timeline_flows *a, const struct timeline_flows *b)
{
	for (size_t i = 0; i < a->count; i++) {
		for (size_t k = 0; k < b->count; k++) {
			if (a->ids[i] == b->ids[k]) {
				return true;
			}
		}
	}
	return false;
}

static void put_event(struct flowing *f, const struct timeline_event *e)
{
	const struct record *rec = e->rec;

	viewer_lock(f->viewer);
	uint32_t track = levels_thread(&f->viewer->levels, rec->trace, rec->pid, rec->tid);
	int64_t first = f->viewer->levels.first_ns;

	viewer_unlock(f->viewer);
	out_printf(f->out, "%s[%" PRId64 ",%u,%u,%" PRIu64 ",%u,%d]", f->count++ ? "," : "",
		(int64_t)rec->ns - first, track, viewer_name(f->viewer, rec->class), rec->offset,
		rec->trace, e->flows.part);
}

static void add_event(void *flowing, const struct timeline_event *e)
{
	struct flowing *f = flowing;

	if (!e->rec) {
		return;
	}
	if (!f->is_known && e->ns == f->ns && e->rec->trace == f->trace &&
		e->rec->offset == f->offset) {
		f->flows = e->flows;
	} else if (f->is_known && f->count < EVENTS_MAX && is_common(&f->flows, &e->flows)) {
		put_event(f, e);
	}
}

static const struct timeline_style style = {
	.put_thread = add_thread,
	.put_event = add_event,
	.put_gap = add_gap,
	.put_value = add_value,
};

/* ---- Reading ---- */

static void read_time(struct flowing *f, int64_t from_ns, int64_t to_ns)
{
	struct timeline_counters none = { 0 };
	struct filter filter;
	struct reader *r = session_open_beside(f->viewer->session, &filter);
	enum read_result result;
	struct record rec;

	if (r) {
		answer_limit(f->viewer, &filter, from_ns, to_ns + 1);
		filter_start(&filter, r);
		filter_limit(&filter);
		timeline_init(&f->timeline, r, &none, &style, f);
		f->timeline.is_across = f->viewer->is_across;
		while (f->count < EVENTS_MAX && !running_is_over(f->is_over) &&
			((result = reader_next(r, &rec)) == READ_RECORD ||
				result == READ_PROBLEM)) {
			if (result == READ_PROBLEM) {
				continue;
			}
			if ((int64_t)rec.ns > to_ns) {
				break;
			}
			if (filter_passes(&filter, &rec)) {
				timeline_add(&f->timeline, &rec);
			}
		}
		timeline_fini(&f->timeline);
	}
	filter_fini(&filter);
	reader_close(r);
}

unsigned int answer_flow(struct viewer *v, const struct question *q, struct out *out)
{
	struct flowing f = { .viewer = v, .out = out, .is_over = q->is_over };
	struct time_range range;

	if (!question_range(v, q, &range)) {
		return answer_refuse(out, "from, to", "two times in ns, the earlier one first");
	}
	if (!question_number(q, "ns", &f.ns) || !question_number(q, "trace", &f.trace) ||
		!question_number(q, "offset", &f.offset)) {
		return answer_refuse(out, "ns, trace, offset", "numbers of an item of a tile");
	}
	f.ns += (uint64_t)viewer_first_ns(v);
	read_time(&f, (int64_t)f.ns, (int64_t)f.ns);
	f.is_known = true;
	viewer_lock(v);
	bool is_long = levels_count(&v->levels, range.from, range.to) > RECORDS_MAX;

	viewer_unlock(v);
	out_printf(out, "{\"objects\":%zu,\"events\":[", f.flows.count);
	if (f.flows.count > 0 && !is_long) {
		read_time(&f, range.from, range.to);
	}
	out_printf(out, "],\"cut\":%s}", is_long || f.count == EVENTS_MAX ? "true" : "false");
	return 200;
}
