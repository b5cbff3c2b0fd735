/* SPDX-License-Identifier: MIT */
/* What the traces have: processes, tracks, names. It is asked again while the pass goes on. */
#include <inttypes.h>

#include "cmd/view/answer/answers.h"
#include "timeline/overview.h"
#include "view/message/json.h"

static void put_processes(const struct levels *l, const struct reader *r, struct out *out)
{
	out_str(out, "\"processes\":[");
	for (size_t i = 0; i < l->timeline.processes.count; i++) {
		const struct timeline_process *p = &l->timeline.processes.items[i];

		out_printf(out, "%s{\"trace\":%u,\"pid\":%u,\"name\":", i ? "," : "", p->trace,
			p->pid);
		json_out_string(out, p->name);
		out_str(out, ",\"host\":");
		json_out_string(out, r->traces[p->trace].hostname);
		out_char(out, '}');
	}
	out_str(out, "],");
}

static void put_tracks(const struct levels *l, struct out *out)
{
	out_str(out, "\"tracks\":[");
	for (size_t i = 0; i < l->tracks.count; i++) {
		const struct level_track *t = &l->tracks.items[i];
		struct track_sum sum = overview_track(l, t);

		out_printf(out,
			"%s{\"process\":%u,\"tid\":%u,\"depth\":%zu,\"count\":%" PRIu64
			",\"busy\":%" PRIu64 ",\"first\":%" PRId64 ",\"lane\":",
			i ? "," : "", t->process, t->tid, t->slices.count, sum.count, sum.busy_ns,
			sum.first_ns - l->first_ns);
		if (t->is_lane) {
			json_out_string(out, t->name);
			out_str(out, t->is_more ? ",\"more\":true" : "");
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

/* Returns the time of the traces, as far as it is known. */
static int64_t length_of(const struct viewer *v)
{
	int64_t last = v->levels.last_ns;

	last = v->estimate.to_ns > last ? v->estimate.to_ns : last;
	return view_since(v->levels.first_ns, last);
}

/* Returns how much was read; 0 if that is not known. */
static double part_of(const struct viewer *v)
{
	return v->is_done ? 1 : estimate_part(&v->estimate, v->levels.read_ns);
}

unsigned int answer_trace(struct viewer *v, const struct question *q, struct out *out)
{
	const struct levels *l = &v->levels;

	(void)q;
	viewer_lock(v);
	const struct reader *r = v->session->reader;

	out_printf(out, "{\"sql\":%s,\"paths\":[", answer_has_sql ? "true" : "false");
	for (size_t i = 0; i < v->session->trace_count; i++) {
		out_str(out, i ? "," : "");
		json_out_string(out, v->session->traces[i]);
	}
	out_printf(out,
		"],\"done\":%s,\"read\":%.4f,\"live\":%s,\"records\":%" PRIu64 ",\"lost\":%" PRIu64
		",\"length\":%" PRId64 ",\"first\":\"%" PRId64 "\",\"realtime\":\"%" PRIu64
		"\",\"step\":%" PRIu64 ",\"problems\":%" PRIu64 ",\"problem\":",
		v->is_done ? "true" : "false", part_of(v),
		v->is_live && !v->is_done ? "true" : "false", l->records, l->lost, length_of(v),
		l->first_ns, r->traces[0].has_realtime ? r->traces[0].realtime : 0,
		UINT64_C(1) << l->shift, v->problems + v->session->unreadable_traces);
	json_out_string(
		out, v->session->unreadable_traces ? v->session->first_unreadable : v->problem);
	out_char(out, ',');
	put_processes(l, r, out);
	put_tracks(l, out);
	put_names(r, out);
	viewer_unlock(v);
	return 200;
}
