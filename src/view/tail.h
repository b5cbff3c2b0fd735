/* SPDX-License-Identifier: MIT */
/* Keeps only the last lines of an output in memory. One thread. */
#ifndef VIEW_TAIL_H
#define VIEW_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "text/out.h"

struct tail_line {
	char *data;
	size_t length;
	size_t capacity;
};

struct tail {
	uint64_t limit; /* number of lines that are kept, at least 1 */
	uint64_t seen; /* number of lines added so far */
	VEC(struct tail_line) lines; /* line n is at n modulo `limit` */
};

void tail_init(struct tail *t, uint64_t limit);
void tail_fini(struct tail *t);

/* Adds the line in `from`, an output to memory, which is empty afterwards. */
void tail_take(struct tail *t, struct out *from);

/* Writes the kept lines, the oldest first. */
void tail_put(const struct tail *t, struct out *out);

#endif
