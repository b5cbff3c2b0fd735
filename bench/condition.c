/* SPDX-License-Identifier: MIT */
/*
 * Measures calls of an event with a condition: what a false one adds to a call whose event is off,
 * and what a true one costs beside a call without a condition. A flight recorder of 1 MiB is
 * recorded into, so that no disk takes part.
 *
 * condition path=FILE rounds=N
 */
#include <stdio.h>

#include <waymark/control.h>

#include "loops.h"

#define STEPS 200000u

static const char *const rules[] = {
	"two_u64",
	"-two_u64",
	"two_u64 if a > 0x7fffffffffffffff",
	"two_u64 if a < 0x7fffffffffffffff",
	"-u64_str",
	"u64_str if s == \"sixteen bytes.!\"",
};

enum { PLAIN, OFF, FALSE, TRUE, STRING_OFF, STRING_FALSE, RULES };

static void apply(const char *rule)
{
	struct waymark_error error;
	bool on = *rule != '-';

	if (on ? waymark_enable(rule, WAYMARK_ANY_BACKEND, NULL, &error)
	       : waymark_disable(rule + 1, WAYMARK_ANY_BACKEND, NULL, &error)) {
		bench_fail("%s: %s", rule, error.text);
	}
}

/* Returns the ns of a call under a rule. */
static double timed(const char *rule, loop *calls, struct area area)
{
	apply(rule);
	calls(area, 1000);
	double begin = bench_now();

	calls(area, STEPS);
	return (bench_now() - begin) / STEPS;
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);

	uint64_t rounds = bench_number("rounds", 15);
	struct area area = area_create(1024);
	double *ns[RULES];
	double median[RULES];

	recorder_open(bench_text("path", "bench.trace"), "full=overwrite,buffer=1M");
	for (int k = 0; k < RULES; k++) {
		ns[k] = calloc(rounds, sizeof(*ns[k]));
	}
	for (uint64_t i = 0; i < rounds; i++) {
		for (int k = 0; k < RULES; k++) {
			ns[k][i] = timed(
				rules[k], loop_find(k < STRING_OFF ? "two_u64" : "u64_str"), area);
		}
	}
	for (int k = 0; k < RULES; k++) {
		median[k] = bench_median(ns[k], rounds);
		free(ns[k]);
	}
	bench_result("integer_ns", median[FALSE] - median[OFF]);
	bench_result("string_ns", median[STRING_FALSE] - median[STRING_OFF]);
	bench_result("true_ns", median[TRUE]);
	bench_result("plain_ns", median[PLAIN]);
	bench_result("true_ratio", median[TRUE] / median[PLAIN]);
	area_destroy(area);
	recorder_close();
	return EXIT_SUCCESS;
}
