/* SPDX-License-Identifier: MIT */
/*
 * Numbers for byte strings: the same bytes have the same number while a user holds it. A number
 * without users is reused, so memory is bounded by the numbers in use. One thread.
 */
#ifndef ANALYSE_TUPLES_H
#define ANALYSE_TUPLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define TUPLES_NONE UINT32_MAX

struct tuple {
	char *bytes; /* NULL: free */
	size_t size;
	uint64_t hash;
	uint32_t holders;
	uint32_t next; /* for a free tuple: the next free one + 1 */
};

/* A table; empty when zeroed. */
struct tuples {
	VEC(struct tuple) all; /* by number */
	uint32_t *slots; /* numbers + 1; 0: free */
	size_t capacity; /* 0, or a power of two */
	size_t count;
	uint32_t free; /* the first free number + 1; 0: none */
};

void tuples_fini(struct tuples *t);

/* Returns the number of these bytes, or TUPLES_NONE. */
uint32_t tuples_find(const struct tuples *t, const char *bytes, size_t size);

/* Holds the number of these bytes, which is made if there is none; returns it. */
uint32_t tuples_hold(struct tuples *t, const char *bytes, size_t size);

/* Releases one hold. */
void tuples_release(struct tuples *t, uint32_t number);

#endif
