/* SPDX-License-Identifier: MIT */
/*
 * The distribution of values, in bounded memory: a histogram whose cells are one wide below 64;
 * above that, each power of two has 64 cells, allocated when needed. Percentiles are exact to 1 %;
 * count, sum, minimum and maximum are exact. One thread.
 */
#ifndef ANALYSE_DISTRIBUTION_H
#define ANALYSE_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#define DISTRIBUTION_CELL_BITS 6
#define DISTRIBUTION_BLOCKS (64 - DISTRIBUTION_CELL_BITS + 1)

struct distribution {
	uint64_t count;
	uint64_t sum; /* modulo 2^64, which is 584 years in nanoseconds */
	uint64_t min; /* 0 without values */
	uint64_t max;
	uint64_t *blocks[DISTRIBUTION_BLOCKS]; /* of 64 cells each; NULL: all are 0 */
};

/* A share of the values: 99.9 % is 999 parts of 1000. Both numbers are at most 10^9. */
struct distribution_share {
	uint64_t parts;
	uint64_t of;
};

/* Frees a distribution. A zeroed one is empty, and need not be freed. */
void distribution_fini(struct distribution *d);
void distribution_add(struct distribution *d, uint64_t value);

/* Adds all values of another distribution. */
void distribution_merge(struct distribution *d, const struct distribution *from);

/*
 * Returns the percentile, by nearest rank: the share `s` of all values are at most this, to within
 * 1 %. Exact for shares of 0 and 100 %; 0 without values.
 */
uint64_t distribution_percentile(const struct distribution *d, struct distribution_share s);

/*
 * Returns the number of values with `bits` significant bits, 0 to 64: values from 2^(bits-1) on.
 * Exact.
 */
uint64_t distribution_of_bits(const struct distribution *d, unsigned int bits);

/* The cells of the histogram, in the order of their values. */
#define DISTRIBUTION_CELLS ((size_t)DISTRIBUTION_BLOCKS << DISTRIBUTION_CELL_BITS)

/* Returns the number of values in a cell. */
static inline uint64_t distribution_cell(const struct distribution *d, size_t cell)
{
	const uint64_t *block = d->blocks[cell >> DISTRIBUTION_CELL_BITS];

	return block ? block[cell % (1u << DISTRIBUTION_CELL_BITS)] : 0;
}

/* Returns the arithmetic mean, rounded down; 0 without values. */
static inline uint64_t distribution_average(const struct distribution *d)
{
	return d->count ? d->sum / d->count : 0;
}

#endif
