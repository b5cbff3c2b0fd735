/* SPDX-License-Identifier: MIT */
/*
 * The steps of the measured loops. KINDS(LOOP) expands LOOP(name, step) for each kind; in a step
 * `i` is its number and `area` a struct area. The floor is the minimum work of any recorder: read
 * the clock, store 24 bytes.
 */
#ifndef BENCH_KINDS_H
#define BENCH_KINDS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "recorder.h"

/* "a string of 16 bytes", with its NUL */
#define TEXT16 "sixteen bytes.."

#define KINDS(LOOP)                             \
	LOOP(empty, (void)0)                    \
	LOOP(floor, floor_store(area, i))       \
	LOOP(two_u64, record_two_u64(i, i * 3)) \
	LOOP(u64_str, record_u64_str(i, TEXT16))

/* The floor's memory: a ring of slots, whose number is a power of two. */
struct area {
	char *at;
	uint64_t mask;
};

static inline struct area area_create(uint64_t slots)
{
	struct area area = { .mask = 1 };

	while (area.mask < slots) {
		area.mask *= 2;
	}
	area.at = malloc(area.mask * 24);
	if (!area.at) {
		bench_fail("no memory");
	}
	memset(area.at, 1, area.mask * 24);
	area.mask--;
	return area;
}

static inline void area_destroy(struct area area)
{
	free(area.at);
}

static inline void floor_store(struct area area, uint64_t i)
{
	uint64_t words[3] = { bench_ticks() << 16 | 1, i, i * 3 };

	memcpy(area.at + (i & area.mask) * 24, words, sizeof(words));
	__asm__ volatile("" ::: "memory");
}

#endif
