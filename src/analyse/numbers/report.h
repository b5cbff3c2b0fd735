/* SPDX-License-Identifier: MIT */
/*
 * The durations of pairs of records as numbers: a row for each name, or for each name and group,
 * such as a thread. Rows are found by a key and sorted at the end. Prints nothing. One thread.
 */
#ifndef ANALYSE_REPORT_H
#define ANALYSE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/numbers/batches.h"
#include "analyse/numbers/distribution.h"
#include "read/keys.h"
#include "base/vec.h"

/* Records that did not become a span. */
struct unpaired {
	uint64_t unfinished; /* begun, but not ended before the trace ends */
	uint64_t end_lost; /* like `unfinished`, but the end may be among lost events */
	uint64_t unbegun; /* ended, but begun before the trace, or by a process that forked */
	uint64_t begin_lost; /* like `unbegun`, but the beginning may be among lost events */
	uint64_t begun_twice; /* begun again with the same key, as after a lost end */
	uint64_t events_lost; /* ended, but the end may be of a later begin; only if has_to */
};

struct report_row {
	const char *name; /* name of the beginning; NULL: the row's ends have none */
	const char *to; /* name of the end, if the report has_to; NULL: the row has no ends */
	char *group; /* NULL: rows have no groups */
	uint64_t self_ns; /* if the report has_self */
	struct unpaired unpaired;
	struct distribution *lengths; /* of finished spans, in ns; NULL: none */
	/* If the report has_batches, the same in the order of ends, and own times; else NULL. */
	struct batches *batches;
	struct batches *selves;
};

struct report {
	VEC(struct report_row) rows;
	struct unpaired unpaired; /* the sum over all rows, after report_end() */
	const char *group; /* the title of groups: "pid"; NULL: rows have no groups */
	bool has_to; /* rows name two events; then the next two numbers are set, and events_lost */
	uint64_t keyless; /* records that lack some of the values for a key */
	uint64_t most_open; /* maximum number of pairs open at one time */
	bool has_self;
	bool has_batches; /* set it before the first row */
	struct keys by_key;
};

void report_fini(struct report *r);

/*
 * Returns the row of a key, valid until the next call. `is_new`: it was just made and has no name.
 */
struct report_row *report_row(struct report *r, const struct key *key, bool *is_new);

/* Adds the length of one span. */
void report_add(struct report_row *row, uint64_t ns);

enum report_order {
	REPORT_TOTAL,
	REPORT_COUNT,
	REPORT_AVERAGE,
	REPORT_MAX,
	REPORT_SELF,
};

/* Returns the number that a row is sorted by. */
uint64_t report_rank(const struct report_row *row, enum report_order order);

/*
 * Sorts the rows, the largest first, and sums up the unpaired records. No report_row() afterwards.
 */
void report_end(struct report *r, enum report_order order);

/* Keeps only rows for which `is_wanted` returns true. Call before report_end(). */
void report_keep(
	struct report *r, bool (*is_wanted)(void *data, const struct report_row *row), void *data);

#endif
