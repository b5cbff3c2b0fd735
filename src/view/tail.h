/* SPDX-License-Identifier: MIT */
/* The last lines of many: no more of them are in memory than are wanted. One thread. */
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
	uint64_t limit; /* how many lines are kept, at least one */
	uint64_t seen;
	VEC(struct tail_line) lines; /* line n is at n modulo `limit` */
};

void tail_init(struct tail *t, uint64_t limit);
void tail_fini(struct tail *t);

/* Moves the line out of `from`, which is in memory and empty afterwards. */
void tail_take(struct tail *t, struct out *from);

/* Writes the lines that were kept, the oldest first. */
void tail_put(const struct tail *t, struct out *out);

#endif
