/* SPDX-License-Identifier: MIT */
/*
 * A part of a trace as it is seen from near: each slice, event and gap in a time, exactly. It is
 * read from the last checkpoint of the levels before that time. One thread; the levels may change
 * while it reads.
 */
#ifndef TIMELINE_NEAR_H
#define TIMELINE_NEAR_H

#include <signal.h>

#include "timeline/levels.h"

/* An estimate is no item, but a row of a tile. */
enum near_kind { NEAR_SLICE, NEAR_EVENT, NEAR_LOSS, NEAR_ESTIMATE };

/* The end of a slice that goes on after the time. */
#define NEAR_OPEN INT64_MAX

struct near_item {
	enum near_kind kind;
	uint32_t track; /* of the levels; LEVELS_NONE: it has none yet */
	uint32_t depth; /* of a slice */
	uint32_t trace;
	bool is_continued; /* the rest of a slice that was cut: it does not begin here */
	int64_t begin_ns; /* may be before the time */
	int64_t end_ns;
	uint64_t offset; /* of its record, for near_find(); of a slice that began before: 0 */
	uint64_t lost; /* events; of a loss */
	uint32_t name; /* index of its class in the reader, plus 1; 0: of a loss */
};

struct near {
	/* Set by the caller: */
	int64_t from_ns; /* both included */
	int64_t to_ns;
	size_t limit; /* of items, with the slices that are open at one time */
	struct filter *filter; /* started with the reader; NULL: all records */
	const volatile sig_atomic_t
		*is_over; /* atomic: the items are not wanted any more; NULL: never */
	/* Set at the end: */
	VEC(struct near_item) items; /* slices by their ends */
	bool is_cut; /* there are more than the limit; the rest was not read */
	uint64_t problems; /* that the reader has reported */
};

struct nearing;

/*
 * Begin with a fresh reader of the same traces, read, and end, which frees `nearing`. Only the
 * first and the last one need the levels. Reading goes on after a problem, as the pass does.
 */
struct nearing *near_begin(struct near *n, const struct levels *l, struct reader *reader);
void near_read(struct nearing *nearing);
void near_end(struct nearing *nearing, const struct levels *l);
void near_fini(struct near *n);

#endif
