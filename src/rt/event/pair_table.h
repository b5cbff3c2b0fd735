/* SPDX-License-Identifier: MIT */
/*
 * A table of calls that wait for their partner, by a number that both have in common. Calls are in
 * windows of some places. At first each thread has a window of its own, whose cache lines no other
 * processor takes away. When one is full, or calls end in other threads, the windows are doubled
 * and chosen by the number; and doubled again when one is full. When the table cannot grow, the
 * oldest call of a full window is forgotten.
 *
 * If several threads begin the same number before it ends, the last of these calls is taken, unless
 * the thread that ends it has begun it, too, and windows are by thread.
 *
 * Threads enter and take without a lock, in any context. A place is free, or has a key, or is
 * reserved by the thread that changes it. Growth moves calls while other threads go on: a thread
 * that does not find a call looks in the windows of smaller tables, too. It misses the call only if
 * the thread that moves it is interrupted meanwhile, between some instructions.
 */
#ifndef RT_EVENT_PAIR_TABLE_H
#define RT_EVENT_PAIR_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Places of a window: two cache lines. */
#define PAIR_WINDOW 8u

/*
 * The number of windows at first, and the most: 262 144 places, 4 MiB. With some 40 000 calls open,
 * a window is full for the first time, and a call is forgotten.
 */
#define PAIR_WINDOWS_MIN 64u
#define PAIR_GROWTHS_MAX 9u
#define PAIR_WINDOWS_MAX (PAIR_WINDOWS_MIN << PAIR_GROWTHS_MAX)

struct pair_place {
	uint64_t key; /* 0: free; taken by compare-and-swap, shown by release */
	uint64_t ticks;
};

struct pair_window {
	struct pair_place places[PAIR_WINDOW];
} __attribute__((aligned(64)));

/* All zero at first, and in a fork's child. Memory is touched as it is used. */
struct pair_table {
	uint32_t grown; /* times the windows were doubled; by compare-and-swap */
	uint32_t by_number; /* 1: no call is in the window of its thread any more; by release */
	uint32_t movers; /* threads that move calls; atomic */
	uint32_t unpaired; /* calls that had no partner, before it grew; atomic */
	uint64_t forgotten; /* calls, because their window was full; atomic */
	struct pair_window windows[PAIR_WINDOWS_MAX];
};

/*
 * Notes a call, at `now` in ticks, in place of an earlier one of the thread with that number.
 * `thread`: a number of the calling thread.
 */
void waymark_pair_enter(struct pair_table *t, uint64_t number, uint32_t thread, uint64_t now);

/* Takes the call with that number. Returns false if there is none. */
bool waymark_pair_take(struct pair_table *t, uint64_t number, uint32_t thread, uint64_t *ticks);

/* Returns how many calls were forgotten. Any thread. */
static inline uint64_t pair_forgotten(const struct pair_table *t)
{
	return __atomic_load_n(&t->forgotten, __ATOMIC_RELAXED);
}

#endif
