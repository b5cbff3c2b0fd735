/* SPDX-License-Identifier: MIT */
/*
 * Values in the order of time, in a few batches: at most BATCHES_MAX, each of the same number of
 * consecutive values, but the last. When all are full, neighbours are joined, so there are at least
 * half as many. Batches show how much consecutive values resemble each other. Memory is bounded.
 * One thread.
 */
#ifndef ANALYSE_BATCHES_H
#define ANALYSE_BATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "analyse/numbers/distribution.h"

#define BATCHES_MAX 32

/* Empty when zeroed. */
struct batches {
	struct distribution items[BATCHES_MAX];
	size_t count; /* of the batches with values */
	uint64_t size; /* of a full batch; 0: no value yet */
};

void batches_fini(struct batches *b);
void batches_add(struct batches *b, uint64_t value);

/* Adds all values to a distribution. */
void batches_sum(const struct batches *b, struct distribution *sum);

#endif
