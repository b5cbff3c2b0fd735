/* SPDX-License-Identifier: MIT */
/*
 * The ends of scopes that are open at the end of a selected time. The checkpoints of the levels say
 * between which of them a scope ends; only what is between these is read, so that the end of a
 * scope that covers a long trace is found at once.
 */
#include "cmd/view/answer/select.h"

#include <stdlib.h>

#include "cmd/view/answer/running.h"

/* Where to read for the ends of some scopes. */
struct stretch {
	struct viewer *viewer;
	volatile sig_atomic_t *is_over;
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

/* True if the scope is open at a checkpoint, whose scopes are sorted by their begin. */
static bool is_open_at(const struct levels *l, const struct level_checkpoint *c,
	const struct select_edge *e, const struct reader *r)
{
	size_t begin = 0;
	size_t end = c->count;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (c->scopes[middle].begin_ns < e->begin_ns) {
			begin = middle + 1;
		} else {
			end = middle;
		}
	}
	for (; begin < c->count && c->scopes[begin].begin_ns == e->begin_ns; begin++) {
		if (is_same(l, &c->scopes[begin], e, r)) {
			return true;
		}
	}
	return false;
}

/* Finds the checkpoint before which the scope ends; their number: there is none. */
static void find_after(
	const struct levels *l, struct select_edge *e, const struct reader *r, int64_t to_ns)
{
	const struct level_checkpoint *before = levels_checkpoint(l, to_ns);
	size_t begin = before ? (size_t)(before - l->checkpoints.items) + 1 : 0;
	size_t end = l->checkpoints.count;

	e->first = begin;
	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (is_open_at(l, &l->checkpoints.items[middle], e, r)) {
			begin = middle + 1;
		} else {
			end = middle;
		}
	}
	e->after = begin;
}

/* ---- Reading ---- */

/* Takes over the ends that some records are; returns how many these are. */
static size_t take_ends(struct stretch *s, struct pairs *p, struct reader *r,
	const struct record *records, size_t count)
{
	size_t ended = 0;

	for (size_t i = 0; i < count; i++) {
		enum pairs_result result = pairs_take(p, r, &records[i]);

		/* Begun twice: the end was lost. */
		if ((result == PAIRS_ENDED || result == PAIRS_BEGUN_TWICE) &&
			p->span.mark != PAIRS_NONE) {
			ended++;
			s->edges[p->span.mark].is_ended = result == PAIRS_ENDED;
			s->edges[p->span.mark].end_ns = (int64_t)records[i].ns;
		}
	}
	return ended;
}

static void read_ends(struct stretch *s, struct reader *r, struct filter *filter)
{
	struct record records[SESSION_FEW];
	enum read_result result;
	struct pairs pairs;
	size_t left = s->count;
	size_t count;

	answer_limit(s->viewer, filter, s->from_ns, s->until_ns);
	filter->is_part = true;
	filter_start(filter, r);
	filter_limit(filter);
	pairs_init(&pairs, &r->classes);
	for (size_t i = 0; i < s->count; i++) {
		const struct select_edge *e = &s->edges[i];

		pairs_resume(&pairs, &e->key, e->class, (uint64_t)e->begin_ns);
		pairs_begun(&pairs)->mark = (uint32_t)i;
	}
	do {
		count = reader_few(r, records, SESSION_FEW, &result);
		count = filter_keep(filter, records, count);
		left -= take_ends(s, &pairs, r, records, count);
	} while (left > 0 && (result == READ_RECORD || result == READ_PROBLEM) &&
		 !running_is_over(s->is_over));
	pairs_fini(&pairs);
}

static void read_stretch(struct stretch *s)
{
	struct filter filter;
	struct reader *r = session_open_beside(s->viewer->session, &filter);

	if (r) {
		read_ends(s, r, &filter);
	}
	filter_fini(&filter);
	reader_close(r);
}

/* Sets the time between two checkpoints; false if it was not read yet. */
static bool find_time(struct stretch *s, int64_t to_ns)
{
	struct viewer *v = s->viewer;
	size_t first = s->edges[0].first;
	size_t after = s->edges[0].after;

	viewer_lock(v);
	const struct level_checkpoint *all = v->levels.checkpoints.items;
	size_t count = v->levels.checkpoints.count;

	s->from_ns = after > first && after <= count ? all[after - 1].ns : to_ns + 1;
	s->until_ns = after < count ? all[after].ns : v->is_done ? INT64_MAX : v->levels.read_ns;
	viewer_unlock(v);
	return s->from_ns < s->until_ns;
}

/* ---- All ---- */

static int by_place(const void *a, const void *b)
{
	const struct select_edge *x = a;
	const struct select_edge *y = b;

	return (x->after > y->after) - (x->after < y->after);
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
	struct stretch s = { .viewer = v, .is_over = of->is_over };

	vec_foreach (struct select_edge *, edge, &e->all) {
		viewer_lock(v);
		find_after(&v->levels, edge, of->reader, of->to_ns);
		viewer_unlock(v);
	}
	if (e->all.count > 0) {
		qsort(e->all.items, e->all.count, sizeof(*e->all.items), by_place);
	}
	for (size_t i = 0; i < e->all.count && !running_is_over(of->is_over); i += s.count) {
		s.edges = &e->all.items[i];
		for (s.count = 1;
			i + s.count < e->all.count && s.edges[s.count].after == s.edges[0].after;) {
			s.count++;
		}
		if (find_time(&s, of->to_ns)) {
			read_stretch(&s);
		}
	}
	if (e->all.count > 0) {
		qsort(e->all.items, e->all.count, sizeof(*e->all.items), by_end);
	}
}
