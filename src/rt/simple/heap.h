/* SPDX-License-Identifier: MIT */
/* The heap of a pass of drain.c: the cursor whose next record is the earliest is first. */
#ifndef RT_SIMPLE_HEAP_H
#define RT_SIMPLE_HEAP_H

#include <stdint.h>

#include "rt/simple/drain.h"

/* The last of `i + 1` entries finds its place. */
static inline void sift_up(struct source *heap, uint32_t i)
{
	struct source s = heap[i];

	for (; i > 0 && s.ticks < heap[(i - 1) / 2].ticks; i = (i - 1) / 2) {
		heap[i] = heap[(i - 1) / 2];
	}
	heap[i] = s;
}

/* The first one does. */
static inline void sift_down(struct source *heap, uint32_t count)
{
	struct source s = heap[0];
	uint32_t i = 0;

	for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
		if (child + 1 < count && heap[child + 1].ticks < heap[child].ticks) {
			child++;
		}
		if (s.ticks <= heap[child].ticks) {
			break;
		}
		heap[i] = heap[child];
	}
	heap[i] = s;
}

/* The next to the earliest source's time. */
static inline uint64_t second_ticks(const struct source *heap, uint32_t count)
{
	uint64_t left = count > 1 ? heap[1].ticks : UINT64_MAX;
	uint64_t right = count > 2 ? heap[2].ticks : UINT64_MAX;

	return left < right ? left : right;
}

#endif
