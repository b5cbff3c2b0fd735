/* SPDX-License-Identifier: MIT */
/*
 * The ends of scopes that are open at the end of a selected time. The checkpoints of the levels say
 * between which of them a scope ends; only what is between these is read, so that the end of a
 * scope that covers a long trace is found at once. Times are kept, not checkpoints, which the pass
 * may thin out at any time.
 */
#include "cmd/view/answer/select.h"

#include <stdlib.h>

#include "cmd/view/answer/running.h"

/* The reading for all ends. */
struct ends {
	struct viewer *viewer;
	volatile sig_atomic_t *is_over;
	struct reader *reader;
	struct filter filter;
	struct select_edge *edges; /* by from_ns */
	size_t count;
	int64_t known_ns; /* all before it was read when this began */
	uint64_t records; /* that may still be read */
};

/* A time to read for the ends of some scopes. */
struct stretch {
	int64_t from_ns;
	int64_t until_ns; /* not included */
	struct select_edge *edges;
	size_t count;
};

/* ---- Checkpoints ---- */

static bool is_same(const struct levels *l, const struct level_scope *scope,
	const struct select_edge *e, const struct reader *r)
{
	return scope->key.trace == e->key.trace && scope->key.pid == e->key.pid &&
	       scope->key.tid == e->key.tid && scope->key.scope == e->key.scope &&
	       levels_class_in(l, scope, r) == e->class;
}

/* Compares as the scopes of a checkpoint are sorted. */
static int compare(const struct level_scope *scope, const struct select_edge *e)
{
	if (scope->begin_ns != e->begin_ns) {
		return scope->begin_ns < e->begin_ns ? -1 : 1;
	}
	return (scope->key.scope > e->key.scope) - (scope->key.scope < e->key.scope);
}

static bool is_open_at(const struct levels *l, const struct level_checkpoint *c,
	const struct select_edge *e, const struct reader *r)
{
	size_t begin = 0;
	size_t end = c->count;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (compare(&c->scopes[middle], e) < 0) {
			begin = middle + 1;
		} else {
			end = middle;
		}
	}
	for (; begin < c->count && compare(&c->scopes[begin], e) == 0; begin++) {
		if (is_same(l, &c->scopes[begin], e, r)) {
			return true;
		}
	}
	return false;
}

/* Finds the time in which the scope ends; under the lock. */
static void find_time(const struct ends *s, const struct select_edges_of *of, struct select_edge *e)
{
	const struct levels *l = &s->viewer->levels;
	const struct level_checkpoint *all = l->checkpoints.items;
	const struct level_checkpoint *before = levels_checkpoint(l, of->to_ns);
	size_t first = before ? (size_t)(before - all) + 1 : 0;
	size_t begin = first;
	size_t end = l->checkpoints.count;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (is_open_at(l, &all[middle], e, of->reader)) {
			begin = middle + 1;
		} else {
			end = middle;
		}
	}
	e->from_ns = begin > first ? all[begin - 1].ns : of->to_ns + (of->to_ns < INT64_MAX);
	e->until_ns = begin < l->checkpoints.count ? all[begin].ns : s->known_ns;
	e->is_unknown = true;
}

/* Finds the times of all scopes; false if the answer is not wanted any more. */
static bool find_times(struct ends *s, const struct select_edges_of *of)
{
	struct viewer *v = s->viewer;

	viewer_lock(v);
	s->known_ns = v->is_done ? INT64_MAX : v->levels.read_ns;
	viewer_unlock(v);
	for (size_t i = 0; i < s->count && !running_is_over(s->is_over); i++) {
		viewer_lock(v);
		find_time(s, of, &s->edges[i]);
		viewer_unlock(v);
	}
	return !running_is_over(s->is_over);
}

/* ---- Reading ---- */

/* Notes the ends among some records; returns their number. */
static size_t take_ends(const struct stretch *s, struct pairs *p, struct reader *r,
	const struct record *records, size_t count)
{
	size_t ended = 0;

	for (size_t i = 0; i < count; i++) {
		enum pairs_result result = pairs_take(p, r, &records[i]);

		/* Begun twice: the end was lost. */
		if ((result == PAIRS_ENDED || result == PAIRS_BEGUN_TWICE) &&
			p->span.mark != PAIRS_NONE) {
			struct select_edge *e = &s->edges[p->span.mark];

			ended++;
			e->is_unknown = false;
			e->is_ended = result == PAIRS_ENDED;
			e->end_ns = (int64_t)records[i].ns;
		}
	}
	return ended;
}

/* Begins the scopes whose ends are sought; returns their number. */
static size_t begin_scopes(const struct stretch *s, struct pairs *p)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct select_edge *e = &s->edges[i];

		if (e->is_unknown) {
			pairs_resume(p, &e->key, e->class, (uint64_t)e->begin_ns);
			pairs_begun(p)->mark = (uint32_t)i;
			count++;
		}
	}
	return count;
}

/* Scopes without an end in a time that was read have none, unless more is not yet known. */
static void note_endless(const struct ends *s, const struct stretch *of)
{
	for (size_t i = 0; i < of->count; i++) {
		of->edges[i].is_unknown &=
			s->known_ns != INT64_MAX && of->edges[i].until_ns >= s->known_ns;
	}
}

/* Reads to the end of a stretch, or up to the last end; false: a section is damaged. */
static bool read_stretch(struct ends *s, const struct stretch *of, bool is_section)
{
	struct record records[SESSION_FEW];
	enum read_result result = READ_RECORD;
	struct pairs pairs;

	pairs_init(&pairs, &s->reader->classes);
	size_t left = begin_scopes(of, &pairs);

	while (left > 0 && s->records > 0 && !running_is_over(s->is_over) &&
		(result == READ_RECORD || (result == READ_PROBLEM && !is_section))) {
		size_t count = reader_few(s->reader, records, SESSION_FEW, &result);

		s->records -= count < s->records ? count : s->records;
		count = filter_keep(&s->filter, records, count);
		left -= take_ends(of, &pairs, s->reader, records, count);
	}
	pairs_fini(&pairs);
	bool is_damaged = result == READ_PROBLEM || result == READ_DAMAGED;

	if (result == READ_END || (result == READ_DAMAGED && !is_section)) {
		note_endless(s, of);
	}
	return !(is_section && is_damaged);
}

/* Opens the traces; false if they cannot be read. */
static bool open_reader(struct ends *s, int64_t from_ns, int64_t until_ns)
{
	s->reader = session_open_beside(s->viewer->session, &s->filter);
	answer_limit(s->viewer, &s->filter, from_ns, until_ns);
	s->filter.is_part = true;
	return s->reader;
}

static void close_reader(struct ends *s)
{
	filter_fini(&s->filter);
	reader_close(s->reader);
}

static bool has_sections(const struct ends *s)
{
	const struct session *session = s->viewer->session;
	struct reader_loads loads = { 0 };
	bool ok = !s->viewer->meets_events && !session->unreadable &&
		  !filter_is_relative(&session->filter) && reader_loads(s->reader, &loads);

	vec_fini(&loads.all);
	return ok;
}

/* Finds the next scopes whose times overlap. */
static struct stretch next_stretch(const struct ends *s, size_t first)
{
	struct stretch of = { .from_ns = s->edges[first].from_ns,
		.until_ns = s->edges[first].until_ns,
		.edges = &s->edges[first] };

	for (; first + of.count < s->count; of.count++) {
		const struct select_edge *e = &of.edges[of.count];

		if (of.count > 0 && e->from_ns >= of.until_ns) {
			break;
		}
		of.until_ns = e->until_ns > of.until_ns ? e->until_ns : of.until_ns;
	}
	return of;
}

/* Moves one reader from stretch to stretch; false if it cannot be moved, or the trace is damaged.
 */
static bool read_sections(struct ends *s, int64_t until_ns)
{
	bool ok = open_reader(s, s->edges[0].from_ns, until_ns) && has_sections(s);
	struct stretch of;

	s->records = UINT64_MAX;
	filter_start(&s->filter, s->reader);
	for (size_t i = 0; i < s->count && ok && !running_is_over(s->is_over); i += of.count) {
		of = next_stretch(s, i);
		if (of.from_ns < of.until_ns) {
			reader_section(s->reader, of.from_ns, of.until_ns);
			ok = read_stretch(s, &of, true);
		} else {
			note_endless(s, &of);
		}
	}
	close_reader(s);
	return ok;
}

/* Reads all stretches, with what is between them, as far as an answer may read. */
static void read_once(struct ends *s, int64_t until_ns)
{
	const struct stretch of = { .from_ns = s->edges[0].from_ns,
		.until_ns = until_ns,
		.edges = s->edges,
		.count = s->count };

	if (of.from_ns < until_ns && open_reader(s, of.from_ns, until_ns)) {
		filter_start(&s->filter, s->reader);
		filter_limit(&s->filter);
		s->records = ALL_RECORDS;
		read_stretch(s, &of, false);
		close_reader(s);
	}
}

/* ---- All ---- */

static int by_from(const void *a, const void *b)
{
	const struct select_edge *x = a;
	const struct select_edge *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static int by_end(const void *a, const void *b)
{
	const struct select_edge *x = a;
	const struct select_edge *y = b;

	return x->end_ns != y->end_ns ? (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns)
				      : (x->begin_ns < y->begin_ns) - (x->begin_ns > y->begin_ns);
}

void select_edges_find(struct select_edges *e, struct viewer *v, const struct select_edges_of *of)
{
	struct ends s = {
		.viewer = v, .is_over = of->is_over, .edges = e->all.items, .count = e->all.count
	};
	int64_t until_ns = INT64_MIN;

	if (s.count == 0 || !find_times(&s, of)) {
		return;
	}
	qsort(s.edges, s.count, sizeof(*s.edges), by_from);
	vec_foreach (const struct select_edge *, edge, &e->all) {
		until_ns = edge->until_ns > until_ns ? edge->until_ns : until_ns;
	}
	if (!read_sections(&s, until_ns)) {
		read_once(&s, until_ns);
	}
	qsort(s.edges, s.count, sizeof(*s.edges), by_end);
}
