/* SPDX-License-Identifier: MIT */
/*
 * Numbers for texts of bytes: the same number for the same bytes, as long as somebody holds
 * it; what nobody holds is forgotten, so that memory is that of what is held. One thread.
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
	uint32_t next; /* of a free one: the next free one */
};

/* A zeroed one is empty. */
struct tuples {
	VEC(struct tuple) all; /* by number */
	uint32_t *slots; /* numbers + 1; 0: free */
	size_t capacity; /* 0, or a power of two */
	size_t count;
	uint32_t free; /* the first free number + 1; 0: none */
};

void tuples_fini(struct tuples *t);

/* The number of these bytes; TUPLES_NONE: nobody holds it. */
uint32_t tuples_find(const struct tuples *t, const char *bytes, size_t size);

/* Holds the number of these bytes once more. */
uint32_t tuples_hold(struct tuples *t, const char *bytes, size_t size);

/* Undoes one tuples_hold(). */
void tuples_release(struct tuples *t, uint32_t number);

#endif
