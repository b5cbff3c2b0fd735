/* SPDX-License-Identifier: MIT */
/*
 * A histogram whose cells grow with the values. Cells of one power of two are a block, which is
 * allocated for the first value in it.
 */
#include "analyse/numbers/distribution.h"

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

/*
 * Returns the middle of a cell, which differs from any value in it by at most 1/128 of that value.
 */
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

void distribution_add(struct distribution *d, uint64_t value)
{
	size_t cell = cell_of(value);
	uint64_t **block = &d->blocks[cell / STEPS];

	if (UNLIKELY(!*block)) {
		*block = xcalloc(STEPS, sizeof(**block));
	}
	(*block)[cell % STEPS]++;
	d->min = d->count == 0 || value < d->min ? value : d->min;
	d->max = value > d->max ? value : d->max;
	d->sum += value;
	d->count++;
}

void distribution_merge(struct distribution *d, const struct distribution *from)
{
	if (from->count == 0) {
		return;
	}
	for (size_t i = 0; i < DISTRIBUTION_BLOCKS; i++) {
		if (from->blocks[i] && !d->blocks[i]) {
			d->blocks[i] = xcalloc(STEPS, sizeof(**d->blocks));
		}
		for (size_t n = 0; from->blocks[i] && n < STEPS; n++) {
			d->blocks[i][n] += from->blocks[i][n];
		}
	}
	d->min = d->count == 0 || from->min < d->min ? from->min : d->min;
	d->max = from->max > d->max ? from->max : d->max;
	d->sum += from->sum;
	d->count += from->count;
}

uint64_t distribution_percentile(const struct distribution *d, struct distribution_share s)
{
	/* count * parts / of, rounded up, with integers, as a double would be above or below it. */
	uint64_t rank = d->count / s.of * s.parts + (d->count % s.of * s.parts + s.of - 1) / s.of;
	uint64_t below = 0;

	if (rank <= 1 || rank >= d->count) {
		return rank <= 1 ? d->min : d->max;
	}
	for (size_t i = 0; i < DISTRIBUTION_CELLS; i++) {
		below += distribution_cell(d, i);
		if (below >= rank) {
			uint64_t middle = middle_of(i);

			middle = middle < d->min ? d->min : middle;
			return middle > d->max ? d->max : middle;
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
		count += distribution_cell(d, i);
	}
	return count;
}
