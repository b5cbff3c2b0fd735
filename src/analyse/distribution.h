/* SPDX-License-Identifier: MIT */
/*
 * The distribution of values, in bounded memory: a histogram whose cells are one wide below 64;
 * above, each power of two has 64 cells, allocated when needed. Percentiles are exact to 1 %;
 * count, sum, minimum and maximum are exact. One thread.
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

/* A share of the values: 99.9 % are 999 parts of 1000. Both at most 10^9. */
struct distribution_share {
	uint64_t parts;
	uint64_t of;
};

/* A zeroed distribution is empty, and needs no distribution_fini(). */
void distribution_fini(struct distribution *d);
void distribution_add(struct distribution *d, uint64_t value);

/*
 * The percentile, by nearest rank: the share `s` of all values are at most this, to within 1 %.
 * Exact for a share of none and of all; 0 while there is no value.
 */
uint64_t distribution_percentile(const struct distribution *d, struct distribution_share s);

/* The number of values with `bits` significant bits, 0 to 64: those from 2^(bits-1) on. Exact. */
uint64_t distribution_of_bits(const struct distribution *d, unsigned int bits);

/* The arithmetic mean, rounded down; 0 while there is none. */
static inline uint64_t distribution_average(const struct distribution *d)
{
	return d->count ? d->sum / d->count : 0;
}

#endif
