/* SPDX-License-Identifier: MIT */
/*
 * Measures what an event adds to work without parallelism: a chain of multiplications,
 * each of which needs the one before. Runs with and without the event alternate; it
 * prints the medians of their differences.
 *
 * work path=FILE options=TEXT event=NAME pairs=N
 */
#include <stdio.h>

#include "kinds.h"

#define STEPS 5000
#define FACTOR UINT64_C(6364136223846793005)

static inline uint64_t chain(uint64_t value, unsigned int length)
{
	for (unsigned int i = 0; i < length; i++) {
		value = value * FACTOR + 1;
		__asm__ volatile("" : "+r"(value));
	}
	return value;
}

typedef uint64_t loop(struct area area, unsigned int length);

#define LOOP(name, step)                                                            \
	NOINLINE static uint64_t loop_##name(struct area area, unsigned int length) \
	{                                                                           \
		uint64_t value = 1;                                                 \
                                                                                    \
		(void)area;                                                         \
		for (uint64_t i = 0; i < STEPS; i++) {                              \
			value = chain(value, length);                               \
			step;                                                       \
		}                                                                   \
		return value;                                                       \
	}

KINDS(LOOP)
RECORDER_KINDS(LOOP)

static loop *find_loop(const char *name)
{
#define NAMED(kind, step)               \
	if (strcmp(name, #kind) == 0) { \
		return loop_##kind;     \
	}
	KINDS(NAMED)
	RECORDER_KINDS(NAMED)
#undef NAMED
	bench_fail("event=%s: no such event", name);
}

static struct area area;

static double timed(loop *measured, unsigned int length)
{
	double begin = bench_now();

	measured(area, length);
	return (bench_now() - begin) / STEPS;
}

/* Returns the length of a chain that takes that long. */
static unsigned int length_of(double ns)
{
	double sum[9];

	for (int i = 0; i < 9; i++) {
		sum[i] = timed(loop_empty, 256);
	}
	return (unsigned int)(ns * 256 / bench_median(sum, 9) + 0.5);
}

static double added(loop *measured, unsigned int length, uint64_t pairs)
{
	double *differences = calloc(pairs, sizeof(*differences));

	for (uint64_t i = 0; i < pairs; i++) {
		double without = timed(loop_empty, length);

		differences[i] = timed(measured, length) - without;
		recorder_rest();
	}
	double median = bench_median(differences, pairs);

	free(differences);
	return median;
}

static void measure(unsigned int ns, loop *event, uint64_t pairs)
{
	unsigned int length = length_of(ns);
	char name[32];

	snprintf(name, sizeof(name), "work_%u_ns", ns);
	bench_result(name, timed(loop_empty, length));
	snprintf(name, sizeof(name), "floor_%u_ns", ns);
	bench_result(name, added(loop_floor, length, pairs));
	snprintf(name, sizeof(name), "event_%u_ns", ns);
	bench_result(name, added(event, length, pairs));
}

static void run(void *context)
{
	uint64_t pairs = bench_number("pairs", 400);
	loop *event = find_loop(bench_text("event", "two_u64"));

	(void)context;
	measure(25, event, pairs);
	measure(100, event, pairs);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);
	area = area_create(STEPS);
	recorder_open(bench_text("path", "bench.trace"), bench_text("options", ""));
	bench_threads(1, run, NULL, 0);
	bench_result("lost", (double)recorder_close());
	area_destroy(area);
	return EXIT_SUCCESS;
}
