/* SPDX-License-Identifier: MIT */
/*
 * Parts of the answer to a selection: the pairs of events whose latency interests, the ends of
 * scopes that cross its end, and the slowest of many spans.
 */
#ifndef CMD_VIEW_ANSWER_SELECT_H
#define CMD_VIEW_ANSWER_SELECT_H

#include "analyse/latency.h"
#include "base/arena.h"
#include "cmd/view/answer/answers.h"
#include "text/out.h"
#include "view/report.h"

/* ---- select_pairs.c ---- */

#define SELECT_PAIRS_MAX 32

/* Open pairs of one latency, of 200 bytes each. */
#define SELECT_OPEN_MAX 100000

struct select_pair {
	struct latency_options options; /* `data` is the pair itself */
	struct latency latency;
	bool is_keyed; /* paired by declared keys, else by thread */
};

/* Must not be moved, as the latencies have addresses of it. */
struct select_pairs {
	struct select_pair all[SELECT_PAIRS_MAX];
	size_t count;
	size_t left_out; /* pairs above the limit */
	struct arena arena; /* names */
	VEC(uint32_t) wanted; /* by class index: a bit for each pair that needs its events */
};

/*
 * Finds the pairs among the events of `known`: begins and ends of declared lives, and events whose
 * names are begin and end of something. Their latencies read with `reader`. `is_across`: those of
 * keys may be of several processes.
 */
void select_pairs_init(struct select_pairs *p, const struct class_table *known,
	struct reader *reader, bool is_across);
void select_pairs_fini(struct select_pairs *p);

/* Adds a record, in the order of time. */
void select_pairs_add(struct select_pairs *p, struct reader *reader, const struct record *rec);

/* Ends the latencies, and writes them as a JSON array. */
void select_pairs_put(struct select_pairs *p, const struct report_form *form, struct out *out);

/* ---- select_edges.c ---- */

/* A scope that is open at the end of the time. */
struct select_edge {
	struct key key; /* as in struct scope_span */
	const struct event_class *class; /* in select_edges_of.reader */
	int64_t begin_ns;
	int64_t end_ns; /* if it has ended */
	bool is_ended;
	bool is_unknown; /* its end was not found in what was read, and there is more */
	int64_t from_ns; /* for select_edges.c: it is open up to there, */
	int64_t until_ns; /* and no more here; INT64_MAX: not known */
};

struct select_edges {
	VEC(struct select_edge) all;
};

struct select_edges_of {
	const struct reader *reader;
	int64_t to_ns; /* the end of the time, included */
	volatile sig_atomic_t *is_over; /* the answer is not wanted any more */
};

/* Finds the ends in the rest of the traces, as far as it was read, and sorts the scopes by them. */
void select_edges_find(struct select_edges *e, struct viewer *v, const struct select_edges_of *of);

/* ---- The slowest ---- */

#define SLOWEST_MAX 100

struct slow_span {
	uint64_t ns; /* its length */
	uint64_t begin_ns;
	uint64_t number; /* of equally long ones, the lower is first */
	uint32_t trace;
	uint32_t pid;
	uint32_t tid;
	bool is_async; /* a scope that is not on its thread's stack */
	bool is_crossing; /* it began before the time or ends after it */
	const char *name; /* of the scope, or of a life's first event */
	char *rest; /* more of it as JSON; freed with it; NULL: nothing */
};

struct slowest {
	struct slow_span all[SLOWEST_MAX];
	size_t count;
	size_t limit; /* at most SLOWEST_MAX */
};

void slowest_fini(struct slowest *s);

/*
 * Keeps a span if it is among the slowest, and returns it, for the caller to add what is dear to
 * make; NULL if it is not.
 */
struct slow_span *slowest_offer(struct slowest *s, const struct slow_span *span);

#endif
