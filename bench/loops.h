/* SPDX-License-Identifier: MIT */
/*
 * A loop for each kind, which only does the kind's step, and a search by name. Each benchmark
 * includes this in one file.
 */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include "kinds.h"

typedef void loop(struct area area, uint64_t count);

#define PLAIN_LOOP(name, step)                                             \
	NOINLINE static void loop_##name(struct area area, uint64_t count) \
	{                                                                  \
		(void)area;                                                \
		for (uint64_t i = 0; i < count; i++) {                     \
			step;                                              \
			__asm__ volatile("");                              \
		}                                                          \
	}

KINDS(PLAIN_LOOP)
RECORDER_KINDS(PLAIN_LOOP)

/* Returns the loop of the kind with that name. */
static inline loop *loop_find(const char *name)
{
#define NAMED_LOOP(kind, step)          \
	if (strcmp(name, #kind) == 0) { \
		return loop_##kind;     \
	}
	KINDS(NAMED_LOOP)
	RECORDER_KINDS(NAMED_LOOP)
#undef NAMED_LOOP
	bench_fail("event=%s: no such event", name);
}

#endif
