/* SPDX-License-Identifier: MIT */
/* See analyse/distribution.h. */
#include "analyse/distribution.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "base/memory.h"

#define STEPS (UINT64_C(1) << DISTRIBUTION_CELL_BITS)

static size_t cell_of(uint64_t value)
{
	if (value < STEPS) {
		return (size_t)value;
	}
	unsigned int shift = 63 - DISTRIBUTION_CELL_BITS - (unsigned int)__builtin_clzll(value);

	return ((size_t)shift << DISTRIBUTION_CELL_BITS) + (size_t)(value >> shift);
}

/* The middle of a cell, from which nothing in it is further off than 1/128 of itself. */
static uint64_t middle_of(size_t cell)
{
	if (cell < 2 * STEPS) {
		return cell;
	}
	unsigned int shift = (unsigned int)(cell >> DISTRIBUTION_CELL_BITS) - 1;

	return ((STEPS + cell % STEPS) << shift) + (UINT64_C(1) << shift) / 2;
}

void distribution_fini(struct distribution *d)
{
	for (size_t i = 0; i < DISTRIBUTION_BLOCKS; i++) {
		free(d->blocks[i]);
	}
	*d = (struct distribution){ 0 };
}

static uint64_t count_in(const struct distribution *d, size_t cell)
{
	const uint64_t *block = d->blocks[cell / STEPS];

	return block ? block[cell % STEPS] : 0;
}

static void count_one(struct distribution *d, size_t cell)
{
	uint64_t **block = &d->blocks[cell / STEPS];

	if (UNLIKELY(!*block)) {
		*block = xcalloc(STEPS, sizeof(**block));
	}
	(*block)[cell % STEPS]++;
}

void distribution_add(struct distribution *d, uint64_t value)
{
	d->min = d->count == 0 || value < d->min ? value : d->min;
	d->max = value > d->max ? value : d->max;
	d->sum += value;
	d->count++;
	count_one(d, cell_of(value));
}

static uint64_t within(const struct distribution *d, uint64_t value)
{
	value = value < d->min ? d->min : value;
	return value > d->max ? d->max : value;
}

/* The share of a count, rounded up: a double would be above it, or below. */
static uint64_t share_of(uint64_t count, struct distribution_share s)
{
	return count / s.of * s.parts + (count % s.of * s.parts + s.of - 1) / s.of;
}

uint64_t distribution_percentile(const struct distribution *d, struct distribution_share share)
{
	uint64_t rank = share_of(d->count, share);
	uint64_t below = 0;

	if (rank <= 1 || rank >= d->count) {
		return rank <= 1 ? d->min : d->max;
	}
	for (size_t i = 0; i < DISTRIBUTION_BLOCKS * STEPS; i++) {
		below += count_in(d, i);
		if (below >= rank) {
			return within(d, middle_of(i));
		}
	}
	return d->max;
}

uint64_t distribution_of_bits(const struct distribution *d, unsigned int bits)
{
	uint64_t first = bits ? UINT64_C(1) << (bits - 1) : 0;
	size_t end = cell_of(bits ? first + (first - 1) : 0);
	uint64_t count = 0;

	for (size_t i = cell_of(first); i <= end; i++) {
		count += count_in(d, i);
	}
	return count;
}
