/* SPDX-License-Identifier: MIT */
/*
 * What is in a selected time: events by kind, losses, how long scopes and pairs of events took, and
 * which took longest. The numbers are those of `waymark info`, `latency` and `track` with --since
 * and --until. Scopes also count if they cross an edge of the time, with their whole length.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/life/lives.h"
#include "analyse/scopes.h"
#include "analyse/summary.h"
#include "cmd/view/answer/part.h"
#include "cmd/view/answer/select.h"
#include "view/message/json.h"
#include "view/message/message.h"
#include "view/path.h"
#include "view/report.h"

#define SLOWEST_DEFAULT 20
#define SCOPES_SHOWN 200

/* Open lives, of 300 bytes each. */
#define LIVES_OPEN_MAX 200000

struct selecting {
	struct viewer *viewer;
	struct part part;
	struct summary summary;
	struct scopes scopes;
	struct select_pairs pairs;
	struct lives lives;
	struct lives_options lives_options;
	struct slowest slices;
	struct slowest longest; /* lives */
	uint64_t ended; /* scopes */
	struct select_edges edges;
	uint64_t unknown; /* scopes whose ends were not found in what was read */
	VEC(uint64_t) crossing; /* scopes that cross an edge, by the index of their name */
};

/* ---- Records ---- */

/* Notes the scope that was added last. */
static void note_scope(struct selecting *s)
{
	const struct scope_span *span = &s->scopes.pairs.span;
	bool is_crossing =
		(int64_t)span->begin_ns < s->part.from_ns || (int64_t)span->end_ns > s->part.to_ns;

	while (s->crossing.count <= span->key.name) {
		vec_push(&s->crossing, 0);
	}
	s->crossing.items[span->key.name] += is_crossing;
	slowest_offer(&s->slices, &(struct slow_span){
					  .ns = span->end_ns - span->begin_ns,
					  .begin_ns = span->begin_ns,
					  .number = s->ended++,
					  .trace = span->key.trace,
					  .pid = span->key.pid,
					  .tid = span->key.tid,
					  .is_async = !span->is_nested,
					  .is_crossing = is_crossing,
					  .name = s->scopes.pairs.names.items[span->key.name],
				  });
}

/* Returns a life's facts, as members of a JSON object. */
static char *life_text(const struct lives *l, const struct life *life)
{
	const char *kind = lives_kind_name(l, life);
	char *key = lives_key_text(l, life);
	char *path = path_text(&l->paths, life->path, NULL);
	struct out out;

	out_init(&out, OUT_TO_MEMORY);
	out_printf(&out, ",\"count\":%" PRIu64 ",\"kind\":", life->count);
	json_out_string(&out, kind ? kind : "");
	out_str(&out, ",\"key\":");
	json_out_string(&out, key);
	out_str(&out, ",\"path\":");
	json_out_string(&out, path);
	out_char(&out, '\0');
	free(key);
	free(path);
	return out.data;
}

static void on_life(void *selecting, const struct life *life)
{
	struct selecting *s = selecting;

	if (life->outcome != LIFE_ENDED) {
		return;
	}
	struct slow_span *kept =
		slowest_offer(&s->longest, &(struct slow_span){
						   .ns = life->end_ns - life->begin_ns,
						   .begin_ns = life->begin_ns,
						   .number = life->number,
						   .trace = life->trace,
						   .pid = life->pid,
						   .tid = life->tid,
						   .name = life->first->name,
					   });

	if (kept) {
		kept->rest = life_text(&s->lives, life);
	}
}

static void resume(
	void *selecting, const struct level_scope *scope, const struct event_class *class)
{
	struct selecting *s = selecting;

	pairs_resume(&s->scopes.pairs, &scope->key, class, (uint64_t)scope->begin_ns);
}

/* Adds the scopes of the records before the time, and returns the number of these records. */
static size_t add_earlier(struct selecting *s, const struct record *records, size_t count)
{
	size_t i = 0;

	for (; i < count && (int64_t)records[i].ns < s->part.from_ns; i++) {
		pairs_take(&s->scopes.pairs, s->part.reader, &records[i]);
	}
	return i;
}

static void add_record(struct selecting *s, const struct record *rec)
{
	if (scopes_add(&s->scopes, rec) == PAIRS_ENDED) {
		note_scope(s);
	}
	select_pairs_add(&s->pairs, s->part.reader, rec);
	if (!*s->lives.error) {
		lives_add(&s->lives, rec);
	}
}

static void note_edge(void *selecting, const struct scope_span *span)
{
	struct selecting *s = selecting;

	vec_push(&s->edges.all, ((struct select_edge){ .key = span->key,
					.class = span->class,
					.begin_ns = (int64_t)span->begin_ns }));
}

/* Adds the scopes that are open at the end of the time, and end after it. */
static void add_edges(struct selecting *s)
{
	const struct select_edges_of of = {
		.reader = s->part.reader, .to_ns = s->part.to_ns, .is_over = s->part.is_over
	};

	pairs_unfinished(&s->scopes.pairs, note_edge, s);
	select_edges_find(&s->edges, s->viewer, &of);
	vec_foreach (const struct select_edge *, e, &s->edges.all) {
		s->unknown += e->is_unknown;
		if (e->is_ended) {
			scopes_end_open(&s->scopes, &e->key, (uint64_t)e->end_ns);
			note_scope(s);
		}
	}
}

static void add_records(struct selecting *s)
{
	struct record records[SESSION_FEW];
	size_t count;

	part_resume(&s->part, s->viewer, resume, s);
	while ((count = part_next(&s->part, records))) {
		size_t earlier = add_earlier(s, records, count);

		summary_add_few(&s->summary, records + earlier, count - earlier);
		for (size_t i = earlier; i < count; i++) {
			add_record(s, &records[i]);
		}
	}
	add_edges(s);
	summary_sort(&s->summary);
	scopes_end(&s->scopes);
	lives_end(&s->lives);
}

/* ---- The answer ---- */

static void put_events(const struct summary *s, struct out *out)
{
	out_printf(out, "{\"records\":%" PRIu64 ",\"events\":[", s->events);
	for (size_t i = 0; i < s->counts.count; i++) {
		out_str(out, i ? "," : "");
		out_str(out, "{\"name\":");
		json_out_string(out, s->counts.items[i].class->name);
		out_printf(out, ",\"count\":%" PRIu64 "}", s->counts.items[i].events);
	}
	out_printf(out,
		"],\"lost\":{\"places\":%" PRIu64 ",\"events\":%" PRIu64 ",\"packets\":%" PRIu64
		"}",
		s->gaps, losses_events(&s->losses), losses_packets(&s->losses));
}

/* Writes the slowest, with the thread to jump to. */
static void put_slowest(struct selecting *s, const struct slowest *slowest, struct out *out)
{
	int64_t first_ns = viewer_first_ns(s->viewer);

	out_char(out, '[');
	for (size_t i = 0; i < slowest->count; i++) {
		const struct slow_span *span = &slowest->all[i];

		viewer_lock(s->viewer);
		uint32_t track =
			levels_thread(&s->viewer->levels, span->trace, span->pid, span->tid);

		viewer_unlock(s->viewer);
		out_printf(out,
			"%s{\"ns\":%" PRId64 ",\"duration\":%" PRIu64 ",\"trace\":%u,\"pid\":%u"
			",\"tid\":%u,\"async\":%s,\"crossing\":%s,\"track\":",
			i ? "," : "", view_since(first_ns, (int64_t)span->begin_ns), span->ns,
			span->trace, span->pid, span->tid, span->is_async ? "true" : "false",
			span->is_crossing ? "true" : "false");
		if (track == LEVELS_NONE) {
			out_str(out, "null");
		} else {
			out_printf(out, "%u", track);
		}
		out_str(out, ",\"name\":");
		json_out_string(out, span->name);
		out_str(out, span->rest ? span->rest : "");
		out_char(out, '}');
	}
	out_char(out, ']');
}

/* Writes of each name how many of its scopes cross an edge of the time. */
static void put_crossing(const struct selecting *s, struct out *out)
{
	bool is_first = true;

	out_str(out, ",\"crossing\":[");
	for (size_t i = 0; i < s->crossing.count; i++) {
		if (s->crossing.items[i] > 0) {
			out_str(out, is_first ? "{\"name\":" : ",{\"name\":");
			json_out_string(out, s->scopes.pairs.names.items[i]);
			out_printf(out, ",\"count\":%" PRIu64 "}", s->crossing.items[i]);
			is_first = false;
		}
	}
	out_char(out, ']');
}

static void put_all(struct selecting *s, struct out *out)
{
	const struct report_form form = {
		.percents = { { 50, 100 }, { 99, 100 } },
		.percent_texts = { "50", "99" },
		.percent_count = 2,
		.has_histogram = true,
		.top = SCOPES_SHOWN,
	};

	put_events(&s->summary, out);
	report_end(&s->scopes.report, REPORT_TOTAL);
	out_printf(out, ",\"names\":%zu,\"report\":", s->scopes.report.rows.count);
	report_put_json(out, &s->scopes.report, &form);
	put_crossing(s, out);
	out_printf(out, ",\"edges\":%s,\"unknown\":%" PRIu64, s->part.is_resumed ? "true" : "false",
		s->unknown);
	out_printf(out, ",\"pairs_left_out\":%zu,\"pairs\":", s->pairs.left_out);
	select_pairs_put(&s->pairs, &form, out);
	out_str(out, ",\"slices\":");
	put_slowest(s, &s->slices, out);
	out_str(out, ",\"lives\":");
	put_slowest(s, &s->longest, out);
	out_str(out, ",\"lives_error\":");
	json_out_string(out, s->lives.error);
	out_printf(out, ",\"problems\":%" PRIu64 "}", s->part.problems);
}

/* ---- All ---- */

static void begin(struct selecting *s, struct viewer *v)
{
	struct reader *reader = s->part.reader;

	s->viewer = v;
	summary_init(&s->summary);
	scopes_init(&s->scopes, reader, SCOPES_BY_NAME);
	s->scopes.report.has_self = false; /* not known of what is outside of the time */
	/* The pass may have met events that this reader does not know yet. */
	viewer_lock(v);
	select_pairs_init(&s->pairs, &v->session->reader->classes, reader, v->is_across);
	viewer_unlock(v);
	s->lives_options = (struct lives_options){
		.rules.filter = &s->part.filter,
		.text = message_value_text,
		.max_open = LIVES_OPEN_MAX,
		.is_across = v->is_across,
		.data = s,
		.ended = on_life,
	};
	lives_init(&s->lives, &s->lives_options, reader);
}

static void end(struct selecting *s)
{
	slowest_fini(&s->slices);
	slowest_fini(&s->longest);
	summary_fini(&s->summary);
	scopes_fini(&s->scopes);
	vec_fini(&s->edges.all);
	vec_fini(&s->crossing);
	select_pairs_fini(&s->pairs);
	lives_fini(&s->lives);
	part_close(&s->part);
}

unsigned int answer_select(struct viewer *v, const struct question *q, struct out *out)
{
	uint64_t limit = SLOWEST_DEFAULT;
	struct selecting *s = xcalloc(1, sizeof(*s));

	if (q->get(q->data, "slowest") &&
		(!question_number(q, "slowest", &limit) || limit > SLOWEST_MAX)) {
		free(s);
		return answer_refuse(out, "slowest", "a number, at most 100");
	}
	unsigned int status = part_open(&s->part, v, q, out);

	if (status == 200) {
		s->slices.limit = s->longest.limit = (size_t)limit;
		begin(s, v);
		add_records(s);
		if (part_is_over(&s->part)) {
			status = answer_stopped(out);
		} else {
			put_all(s, out);
		}
		end(s);
	}
	free(s);
	return status;
}
