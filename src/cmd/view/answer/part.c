/* SPDX-License-Identifier: MIT */
/* Reads the records of a time for an answer: see part.h. */
#include "cmd/view/answer/part.h"

#include <string.h>

/* Limits one end of the filter's time, which a relative one gives with the first record. */
static void limit_time(struct filter_time *t, int64_t first_ns, int64_t ns, bool is_from)
{
	int64_t own = t->relative ? first_ns + t->ns : t->ns;
	bool is_own = t->set && (is_from ? own > ns : own < ns);

	*t = (struct filter_time){ .ns = is_own ? own : ns, .set = true };
}

static void limit_filter(struct part *p, struct viewer *v, const struct time_range *range)
{
	viewer_lock(v);
	int64_t first_ns = v->session->filter.first_ns;

	viewer_unlock(v);
	limit_time(&p->filter.from, first_ns, range->from, true);
	limit_time(&p->filter.to, first_ns, range->to, false);
	p->filter.is_part = true;
	filter_start(&p->filter, p->reader);
}

static struct key thread_key(uint32_t trace, uint32_t pid, uint32_t tid)
{
	return (struct key){ .trace = trace, .pid = pid, .tid = tid };
}

/* Adds the threads of tracks; a lane is of no thread. */
static void choose_threads(struct part *p, struct viewer *v, const uint32_t *tracks, size_t count)
{
	p->has_threads = true;
	viewer_lock(v);
	const struct levels *l = &v->levels;

	for (size_t i = 0; i < count; i++) {
		if (tracks[i] < l->tracks.count && !l->tracks.items[tracks[i]].is_lane) {
			const struct level_track *t = &l->tracks.items[tracks[i]];
			const struct timeline_process *process =
				&l->timeline.processes.items[t->process];
			const struct key key = thread_key(process->trace, process->pid, t->tid);

			keys_swap(&p->threads, &key, 1);
		}
	}
	viewer_unlock(v);
}

unsigned int part_open(struct part *p, struct viewer *v, const struct question *q, struct out *out)
{
	struct time_range range;
	uint32_t tracks[TRACKS_MAX];
	size_t count = 0;

	*p = (struct part){ .is_over = q->is_over };
	if (!question_range(v, q, &range)) {
		return answer_refuse(out, "from, to", "two times in ns, the earlier one first");
	}
	bool has_tracks = q->get(q->data, "tracks");

	if (has_tracks && !question_tracks(q, tracks, &count)) {
		return answer_refuse(out, "tracks", TRACKS_WANTED);
	}
	p->reader = session_open_beside(v->session, &p->filter);
	if (!p->reader) {
		filter_fini(&p->filter);
		return answer_refuse(out, "traces", "traces that can still be read");
	}
	p->from_ns = range.from;
	p->to_ns = range.to;
	limit_filter(p, v, &range);
	if (has_tracks) {
		choose_threads(p, v, tracks, count);
	}
	return 200;
}

static bool is_of_threads(const struct part *p, const struct key *of)
{
	const struct key key = thread_key(of->trace, of->pid, of->tid);

	return !p->has_threads || keys_get(&p->threads, &key) != KEYS_NONE;
}

void part_resume(struct part *p, struct viewer *v,
	void (*resume)(
		void *data, const struct level_scope *scope, const struct event_class *class),
	void *data)
{
	struct filter_time *from = &p->filter.from;

	viewer_lock(v);
	const struct level_checkpoint *c = levels_checkpoint(&v->levels, p->from_ns);

	p->is_resumed = v->is_done || p->from_ns <= v->levels.read_ns;
	/* A later begin is that of the session's own selection, before which there is nothing. */
	if (p->is_resumed && from->ns <= p->from_ns) {
		*from = (struct filter_time){ .ns = c ? c->ns : INT64_MIN, .set = c };
		for (size_t i = 0; c && i < c->count; i++) {
			const struct level_scope *scope = &c->scopes[i];
			const struct event_class *class =
				levels_class_in(&v->levels, scope, p->reader);

			if (class && is_of_threads(p, &scope->key)) {
				resume(data, scope, class);
			}
		}
	}
	viewer_unlock(v);
}

void part_close(struct part *p)
{
	filter_fini(&p->filter);
	keys_fini(&p->threads);
	reader_close(p->reader);
}

static size_t keep_threads(const struct part *p, struct record *records, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct key key = thread_key(records[i].trace, records[i].pid, records[i].tid);

		if (keys_get(&p->threads, &key) != KEYS_NONE) {
			records[kept++] = records[i];
		}
	}
	return kept;
}

size_t part_next(struct part *p, struct record *records)
{
	enum read_result result;
	size_t kept = 0;

	/* Not before part_resume(): a reader that left records out cannot go back to them. */
	if (!p->is_begun) {
		filter_limit(&p->filter);
		p->is_begun = true;
	}
	while (kept == 0 && !part_is_over(p)) {
		size_t count = reader_few(p->reader, records, SESSION_FEW, &result);

		if (result == READ_PROBLEM || result == READ_DAMAGED) {
			p->problems++;
		}
		if (count == 0 && result != READ_PROBLEM) {
			return 0;
		}
		kept = filter_keep(&p->filter, records, count);
		kept = p->has_threads ? keep_threads(p, records, kept) : kept;
	}
	return kept;
}
