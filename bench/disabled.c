/* SPDX-License-Identifier: MIT */
/*
 * What a call costs whose event is off. The same work with and without the
 * call, at several placements of the code within a cache line, because where
 * a loop begins can matter more than what it holds.
 *
 * disabled [plain|traced COUNT]: with arguments only that one runs, for
 * counting its instructions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace-disabled.h"

#define ROUNDS 31
#define STEPS 2000000

/* The work: a step of a generator, which the next step needs. */
static inline uint64_t step(uint64_t value)
{
	return value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

/* Both loops, with their code moved by `bytes`. */
#define LOOPS(bytes)                                                                          \
	__attribute__((noinline, aligned(64))) static uint64_t plain_##bytes(uint64_t count)  \
	{                                                                                     \
		uint64_t value = 1;                                                           \
		__asm__ volatile(".if " #bytes "\n\t.skip " #bytes ", 0x90\n\t.endif");       \
		for (uint64_t i = 0; i < count; i++) {                                        \
			value = step(value);                                                  \
			__asm__ volatile("" : "+r"(value));                                   \
		}                                                                             \
		return value;                                                                 \
	}                                                                                     \
	__attribute__((noinline, aligned(64))) static uint64_t traced_##bytes(uint64_t count) \
	{                                                                                     \
		uint64_t value = 1;                                                           \
		__asm__ volatile(".if " #bytes "\n\t.skip " #bytes ", 0x90\n\t.endif");       \
		for (uint64_t i = 0; i < count; i++) {                                        \
			value = step(value);                                                  \
			__asm__ volatile("" : "+r"(value));                                   \
			trace_bench_site(i, value);                                           \
		}                                                                             \
		return value;                                                                 \
	}

LOOPS(0)
LOOPS(8)
LOOPS(16)
LOOPS(24)
LOOPS(32)
LOOPS(48)

struct pair {
	int bytes;
	uint64_t (*plain)(uint64_t count);
	uint64_t (*traced)(uint64_t count);
};

#define PAIR(bytes)                                  \
	{                                            \
		bytes, plain_##bytes, traced_##bytes \
	}

static const struct pair pairs[] = {
	PAIR(0),
	PAIR(8),
	PAIR(16),
	PAIR(24),
	PAIR(32),
	PAIR(48),
};

static double ns_per_step(uint64_t (*loop)(uint64_t))
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	loop(STEPS);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / STEPS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

/* Prints one placement's medians and returns what the call adds. */
static double measure(const struct pair *pair)
{
	double plain[ROUNDS];
	double traced[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		plain[i] = ns_per_step(pair->plain);
		traced[i] = ns_per_step(pair->traced);
	}
	double without = median(plain, ROUNDS);
	double with = median(traced, ROUNDS);

	printf("moved by %2d bytes    without %.3f ns  with %.3f ns  ratio %.3f\n", pair->bytes,
		without, with, with / without);
	return with - without;
}

int main(int argc, char **argv)
{
	if (argc == 3) {
		uint64_t count = strtoull(argv[2], NULL, 10);

		return !(strcmp(argv[1], "plain") ? traced_0(count) : plain_0(count));
	}
	double best = measure(&pairs[0]);

	for (size_t i = 1; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		double added = measure(&pairs[i]);

		best = added < best ? added : best;
	}
	printf("a disabled site adds %.3f ns at the best placement\n", best);
	return 0;
}
