/* SPDX-License-Identifier: MIT */
/*
 * What changed between two sides, before and after, each of one or several runs: durations by name,
 * and events by name. Runs are added one after the other, then changes_judge() decides which
 * changes are significant. Memory is bounded by the number of names. One thread.
 */
#ifndef ANALYSE_CHANGES_H
#define ANALYSE_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/numbers/batches.h"
#include "analyse/numbers/significance.h"
#include "analyse/numbers/slices.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

enum change_side { CHANGE_BEFORE, CHANGE_AFTER, CHANGE_SIDES };

enum change_kind {
	CHANGE_SCOPE, /* durations of scopes */
	CHANGE_SELF, /* without the scopes inside */
	CHANGE_LIFE, /* durations of declared lives */
	CHANGE_LATENCY, /* from one event to another */
	CHANGE_EVENT, /* how often an event happens */
	CHANGE_KINDS
};

/* The number of a row in one run: a median in ns, or events a second. */
struct change_run {
	size_t run; /* index in changes.seconds */
	double log;
	double variance; /* of the logarithm, as far as the values of the run show */
};

struct change_numbers {
	uint64_t count; /* over all runs, as the distribution */
	struct distribution durations;
	struct batches
		*batches; /* of the first run, if there is one for each side; NULL: no value */
	struct event_rate rate; /* of an event in the first run that has it */
	VEC(struct change_run) runs; /* those that have the row */
};

struct change {
	enum change_kind kind;
	const char *name;
	const char *to; /* of a latency, the second event; else NULL */
	struct change_numbers sides[CHANGE_SIDES];
	/* Set by changes_judge(): */
	double ratio; /* the median, or the rate, after by before; 0 or INFINITY: only on one side
		       */
	double low; /* 95 % interval of the ratio; NAN: too few values */
	double high;
	double p; /* NAN: no test is possible */
	double adjusted; /* the same for all rows together */
	double larger; /* probability that a duration after is larger; NAN: unknown */
	bool is_significant;
};

enum changes_order { CHANGES_BY_CHANGE, CHANGES_BY_TOTAL, CHANGES_BY_P, CHANGES_BY_NAME };

struct changes {
	VEC(struct change) all;
	VEC(double) seconds[CHANGE_SIDES]; /* the length of each run */
	bool has_several; /* a side has several runs: they are compared, not their values */
	struct hash by_key; /* values: index + 1 */
	struct arena arena;
};

/* With `has_several`, runs are compared by their medians and rates. */
void changes_init(struct changes *c, bool has_several);
void changes_fini(struct changes *c);

/* Begins a run with the events of its slices. The next calls of the side are of this run. */
void changes_add_events(struct changes *c, enum change_side side, const struct slices *slices);

/* Adds the durations of a name, which it takes from `batches`. `to` may be NULL. */
void changes_add_durations(struct changes *c, enum change_side side, const struct change *row,
	struct batches *batches);

/* Compares the sides; a change is significant if its adjusted p-value is below `level`. */
void changes_judge(struct changes *c, double level);

/* Sorts durations before events, significant changes first. Call after changes_judge(). */
void changes_sort(struct changes *c, enum changes_order order);

/* Returns the number of significant changes. */
size_t changes_count(const struct changes *c);

/* Return events a second over all runs, and the sum of durations for each run. */
double change_rate(const struct changes *c, const struct change *row, enum change_side side);
double change_total(const struct changes *c, const struct change *row, enum change_side side);

#endif
