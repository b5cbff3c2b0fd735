/* SPDX-License-Identifier: MIT */
/*
 * Numbers of processes, threads, scopes and flows differ: timeline_mix() of pairs of small numbers,
 * as traces and their pids, and of the addresses that programs give as scopes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "timeline/timeline.h"

#define SIDE 1000u
#define PAIRS (SIDE * SIDE)

static uint64_t mixed[2 * PAIRS];

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	unsigned int same = 0;

	for (unsigned int i = 0; i < PAIRS; i++) {
		uint64_t address = UINT64_C(0x7f0000000000) + 64 * (i / SIDE);

		mixed[i] = timeline_mix(i / SIDE, i % SIDE);
		mixed[PAIRS + i] = timeline_mix(address, i % SIDE);
	}
	qsort(mixed, 2 * PAIRS, sizeof(*mixed), by_number);
	for (unsigned int i = 1; i < 2 * PAIRS; i++) {
		same += mixed[i] == mixed[i - 1];
	}
	if (same) {
		fprintf(stderr, "%u of %u pairs have the number of another\n", same, 2 * PAIRS);
	}
	return same > 0;
}
