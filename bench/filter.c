/* SPDX-License-Identifier: MIT */
/*
 * Measures calls of two events as a tracer outside of the program has set them: off, or left out by
 * its filter. filters.py compares both.
 *
 * filter integer=EVENT string=EVENT calls=N rounds=N
 */
#include <stdio.h>

#include "loops.h"

static double one_round(loop *calls, struct area area, uint64_t count)
{
	double begin = bench_now();

	calls(area, count);
	return (bench_now() - begin) / (double)count;
}

static void measure(const char *result, const char *event)
{
	uint64_t rounds = bench_number("rounds", 15);
	uint64_t count = bench_number("calls", 200000);
	struct area area = area_create(1024);
	loop *calls = loop_find(event);
	double *ns = calloc(rounds, sizeof(*ns));

	if (!ns) {
		bench_fail("no memory");
	}
	calls(area, 1000);
	for (uint64_t i = 0; i < rounds; i++) {
		ns[i] = one_round(calls, area, count);
	}
	bench_result(result, bench_median(ns, rounds));
	free(ns);
	area_destroy(area);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);
	measure("integer_ns", bench_text("integer", "two_u64"));
	measure("string_ns", bench_text("string", "u64_str"));
	return EXIT_SUCCESS;
}
