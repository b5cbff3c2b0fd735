/* SPDX-License-Identifier: MIT */
/*
 * How many events each thread has in steps of time, guessed from the sizes and times of packets,
 * which indexes have: what is drawn of a long trace until it was read. One thread.
 */
#ifndef TIMELINE_ESTIMATE_H
#define TIMELINE_ESTIMATE_H

#include "timeline/levels.h"
#include "timeline/tile.h"

struct estimate {
	int64_t from_ns; /* the begin of the first step */
	int64_t to_ns; /* the end of the last packet */
	uint64_t step_ns;
	size_t steps; /* 0: there is no estimate */
	size_t tracks; /* the first ones of the levels */
	float *bytes; /* of each track's steps, one track after the other */
	double *sums; /* bytes before each step, of all tracks; with the end */
};

/* Makes the estimate of a trace, and tracks for its threads. `loads` are sorted by time. */
void estimate_make(struct estimate *e, struct levels *l, const struct reader_loads *loads);
void estimate_fini(struct estimate *e);

/* Returns the part of the bytes that is before a time, 0 to 1. */
double estimate_part(const struct estimate *e, int64_t ns);

/* Adds rows of guesses to a tile, for what the levels do not have yet. */
void estimate_add(const struct estimate *e, const struct levels *l, struct tile *t,
	const struct tile_wish *wish);

#endif
