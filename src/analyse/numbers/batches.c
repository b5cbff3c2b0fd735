/* SPDX-License-Identifier: MIT */
/* Joins neighbours in place: batch i gets the values of batches 2i and 2i + 1. */
#include "analyse/numbers/batches.h"

#include "base/compiler.h"

void batches_fini(struct batches *b)
{
	for (size_t i = 0; i < b->count; i++) {
		distribution_fini(&b->items[i]);
	}
	*b = (struct batches){ 0 };
}

static COLD void join(struct batches *b)
{
	for (size_t i = 0; i < BATCHES_MAX / 2; i++) {
		struct distribution *first = &b->items[2 * i];
		struct distribution *second = &b->items[2 * i + 1];

		distribution_merge(first, second);
		distribution_fini(second);
		if (i > 0) {
			b->items[i] = *first;
			*first = (struct distribution){ 0 };
		}
	}
	b->count = BATCHES_MAX / 2;
	b->size *= 2;
}

void batches_add(struct batches *b, uint64_t value)
{
	if (b->count == 0) {
		b->count = b->size = 1;
	} else if (b->items[b->count - 1].count == b->size) {
		if (b->count == BATCHES_MAX) {
			join(b);
		}
		b->count++;
	}
	distribution_add(&b->items[b->count - 1], value);
}

void batches_sum(const struct batches *b, struct distribution *sum)
{
	for (size_t i = 0; i < b->count; i++) {
		distribution_merge(sum, &b->items[i]);
	}
}
