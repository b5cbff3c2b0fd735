/* SPDX-License-Identifier: MIT */
/*
 * How values are distributed, in constant memory: a histogram whose cells are one wide below
 * 64, and 64 to each power of two above. Percentiles are within 1 % of what was added; number,
 * sum, smallest and largest are exact. One thread.
 */
#ifndef ANALYSE_DISTRIBUTION_H
#define ANALYSE_DISTRIBUTION_H

#include <stdint.h>

#define DISTRIBUTION_CELL_BITS 6
#define DISTRIBUTION_CELLS ((64 - DISTRIBUTION_CELL_BITS + 1) << DISTRIBUTION_CELL_BITS)

struct distribution {
	uint64_t count;
	uint64_t sum; /* modulo 2^64: of nanoseconds, that is 584 years */
	uint64_t min; /* 0 while there is none */
	uint64_t max;
	uint64_t cells[DISTRIBUTION_CELLS];
};

/* A zeroed one is empty. */
void distribution_add(struct distribution *d, uint64_t value);

/*
 * The value that `percent` of all are not above, by nearest rank, within 1 %; percent from 0
 * to 100, of which the ends are exact. 0 while there is none.
 */
uint64_t distribution_percentile(const struct distribution *d, double percent);

/* The arithmetic mean, rounded down; 0 while there is none. */
static inline uint64_t distribution_average(const struct distribution *d)
{
	return d->count ? d->sum / d->count : 0;
}

#endif
