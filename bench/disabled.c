/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of a call whose event is off: the same work with and without
 * the call, at several offsets of the code in a cache line, because the offset of
 * a loop can change its time by more than the call does.
 *
 * disabled [plain|traced COUNT]: with arguments, runs only that loop, so that its
 * instructions can be counted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include TRACE_HEADER

#define ROUNDS 15
#define STEPS 1000000

/* The work: a step of a generator. The next step depends on it. */
static inline uint64_t step(uint64_t value)
{
	return value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

/* Both loops, with their code moved by `bytes`. */
#define LOOPS(bytes)                                                                         \
	NOINLINE __attribute__((aligned(64))) static uint64_t plain_##bytes(uint64_t count)  \
	{                                                                                    \
		uint64_t value = 1;                                                          \
		__asm__ volatile(".if " #bytes "\n\t.skip " #bytes ", 0x90\n\t.endif");      \
		for (uint64_t i = 0; i < count; i++) {                                       \
			value = step(value);                                                 \
			__asm__ volatile("" : "+r"(value));                                  \
		}                                                                            \
		return value;                                                                \
	}                                                                                    \
	NOINLINE __attribute__((aligned(64))) static uint64_t traced_##bytes(uint64_t count) \
	{                                                                                    \
		uint64_t value = 1;                                                          \
		__asm__ volatile(".if " #bytes "\n\t.skip " #bytes ", 0x90\n\t.endif");      \
		for (uint64_t i = 0; i < count; i++) {                                       \
			value = step(value);                                                 \
			__asm__ volatile("" : "+r"(value));                                  \
			trace_bench_site(i, value);                                          \
		}                                                                            \
		return value;                                                                \
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
	double begin = bench_now();

	loop(STEPS);
	return (bench_now() - begin) / STEPS;
}

/* The medians of one placement. */
static void measure(const struct pair *pair, double *without, double *with)
{
	double plain[ROUNDS];
	double traced[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		plain[i] = ns_per_step(pair->plain);
		traced[i] = ns_per_step(pair->traced);
	}
	*without = bench_median(plain, ROUNDS);
	*with = bench_median(traced, ROUNDS);
}

int main(int argc, char **argv)
{
	double without, with, loop = 0, best = 1e9, worst = -1e9;

	if (argc == 3) {
		uint64_t count = strtoull(argv[2], NULL, 10);

		return !(strcmp(argv[1], "plain") ? traced_0(count) : plain_0(count));
	}
	bench_init(argc, argv);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		measure(&pairs[i], &without, &with);
		if (with - without < best) {
			best = with - without;
			loop = without;
		}
		worst = with - without > worst ? with - without : worst;
	}
	bench_result("loop_ns", loop);
	bench_result("added_ns", best);
	bench_result("added_worst_ns", worst);
	return EXIT_SUCCESS;
}
