/* SPDX-License-Identifier: MIT */
/*
 * Sums of tracks and of the whole trace, made from the levels: to sort tracks, and to show where
 * in the trace there is much. One thread.
 */
#ifndef TIMELINE_OVERVIEW_H
#define TIMELINE_OVERVIEW_H

#include "timeline/levels.h"

struct track_sum {
	uint64_t count; /* slices and events that begin */
	uint64_t busy_ns; /* in which a slice is open */
	int64_t first_ns; /* begin of the step of the first one */
};

struct track_sum overview_track(const struct levels *l, const struct level_track *t);

/* A column of the time of all tracks together. */
struct overview_column {
	uint64_t count; /* slices and events that begin */
	uint64_t lost; /* events */
};

/* Fills in columns of equal width from the begin of the trace to its end. */
void overview_columns(const struct levels *l, struct overview_column *columns, size_t count);

/*
 * Returns the end of the steps, from that of a time on, that have about a number of records
 * together; INT64_MAX: these are all up to the end.
 */
int64_t overview_until(const struct levels *l, int64_t from_ns, uint64_t records);

#endif
