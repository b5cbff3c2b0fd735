/* SPDX-License-Identifier: MIT */
/*
 * How values are distributed, in bounded memory: a histogram whose cells are one wide below
 * 64, and 64 to each power of two above; a power that no value has takes no cells. Percentiles
 * are within 1 % of what was added; number, sum, smallest and largest are exact. One thread.
 */
#ifndef ANALYSE_DISTRIBUTION_H
#define ANALYSE_DISTRIBUTION_H

#include <stdint.h>

#define DISTRIBUTION_CELL_BITS 6
#define DISTRIBUTION_BLOCKS (64 - DISTRIBUTION_CELL_BITS + 1)

struct distribution {
	uint64_t count;
	uint64_t sum; /* modulo 2^64: of nanoseconds, that is 584 years */
	uint64_t min; /* 0 while there is none */
	uint64_t max;
	uint64_t *blocks[DISTRIBUTION_BLOCKS]; /* of 64 cells each; NULL: all are 0 */
};

/* So many parts of so many: 99.9 % are 999 of 1000. Both at most 10^9. */
struct distribution_share {
	uint64_t parts;
	uint64_t of;
};

/* A zeroed one is empty, and needs no distribution_fini(). */
void distribution_fini(struct distribution *d);
void distribution_add(struct distribution *d, uint64_t value);

/*
 * The value that this share of all are not above, by nearest rank, within 1 %; of none and of
 * all, exactly. 0 while there is no value.
 */
uint64_t distribution_percentile(const struct distribution *d, struct distribution_share share);

/*
 * How many values have so many significant bits, 0 to 64: of n bits those from 2^(n-1) to
 * 2^n - 1, of none only 0. Exact.
 */
uint64_t distribution_of_bits(const struct distribution *d, unsigned int bits);

/* The arithmetic mean, rounded down; 0 while there is none. */
static inline uint64_t distribution_average(const struct distribution *d)
{
	return d->count ? d->sum / d->count : 0;
}

#endif
