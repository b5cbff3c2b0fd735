/* SPDX-License-Identifier: MIT */
/*
 * Measures calls of an event with a condition, limits or an aggregation: what one that is not
 * recorded adds to a call whose event is off, and what a true condition costs beside a call without
 * one. A flight recorder of 1 MiB is recorded into, so that no disk takes part.
 *
 * condition path=FILE rounds=N
 */
#include <stdio.h>

#include <waymark/control.h>

#include "loops.h"

#define STEPS 200000u
#define WARM_STEPS 20000u /* until 10 000 pairs are open */

/* two_u64 with 16 keys; and begins and ends of pairs, of which 10 000 are open. */
PLAIN_LOOP(keyed, record_two_u64(i & 15, i * 3))
PLAIN_LOOP(pairs, (record_two_u64(i, i * 3), trace_hot_two_u64(i - 10000, i)))

enum row {
	PLAIN,
	OFF,
	FALSE,
	TRUE,
	EVERY,
	RATE,
	STRING_OFF,
	STRING_FALSE,
	KEYED_OFF,
	COUNT,
	COUNT_KEYED,
	HIST,
	PAIRS_OFF,
	PAIRS,
	ROWS
};

/* The rule that is in force while the calls are timed. */
static const struct {
	const char *rule;
	loop *calls;
} rows[ROWS] = {
	[PLAIN] = { "two_u64", loop_two_u64 },
	[OFF] = { "-*", loop_two_u64 },
	[FALSE] = { "two_u64 if a > 0x7fffffffffffffff", loop_two_u64 },
	[TRUE] = { "two_u64 if a < 0x7fffffffffffffff", loop_two_u64 },
	[EVERY] = { "two_u64 every=1000000", loop_two_u64 },
	[RATE] = { "two_u64 rate=10/h", loop_two_u64 },
	[STRING_OFF] = { "-*", loop_u64_str },
	[STRING_FALSE] = { "u64_str if s == \"sixteen bytes.!\"", loop_u64_str },
	[KEYED_OFF] = { "-*", loop_keyed },
	[COUNT] = { "aggregate two_u64 count", loop_keyed },
	[COUNT_KEYED] = { "aggregate two_u64 count by a", loop_keyed },
	[HIST] = { "aggregate two_u64 hist(b)", loop_keyed },
	[PAIRS_OFF] = { "-*", loop_pairs },
	[PAIRS] = { "hot_two_u64 if elapsed(two_u64 by a) > 1h", loop_pairs },
};

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
	calls(area, WARM_STEPS);
	double begin = bench_now();

	calls(area, STEPS);
	double ns = (bench_now() - begin) / STEPS;

	apply("-*");
	if (strncmp(rule, "aggregate ", strlen("aggregate ")) == 0) {
		waymark_disable(rule, WAYMARK_ANY_BACKEND, NULL, NULL);
	}
	return ns;
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);

	uint64_t rounds = bench_number("rounds", 15);
	struct area area = area_create(1024);
	double *ns[ROWS];
	double median[ROWS];

	recorder_open(bench_text("path", "bench.trace"), "full=overwrite,buffer=1M");
	for (int k = 0; k < ROWS; k++) {
		ns[k] = calloc(rounds, sizeof(*ns[k]));
	}
	for (uint64_t i = 0; i < rounds; i++) {
		for (int k = 0; k < ROWS; k++) {
			ns[k][i] = timed(rows[k].rule, rows[k].calls, area);
		}
	}
	for (int k = 0; k < ROWS; k++) {
		median[k] = bench_median(ns[k], rounds);
		free(ns[k]);
	}
	bench_result("integer_ns", median[FALSE] - median[OFF]);
	bench_result("string_ns", median[STRING_FALSE] - median[STRING_OFF]);
	bench_result("every_ns", median[EVERY] - median[OFF]);
	bench_result("rate_ns", median[RATE] - median[OFF]);
	bench_result("count_ns", median[COUNT] - median[KEYED_OFF]);
	bench_result("count_keyed_ns", median[COUNT_KEYED] - median[KEYED_OFF]);
	bench_result("hist_ns", median[HIST] - median[KEYED_OFF]);
	bench_result("pair_ns", median[PAIRS] - median[PAIRS_OFF]);
	bench_result("true_ns", median[TRUE]);
	bench_result("plain_ns", median[PLAIN]);
	bench_result("true_ratio", median[TRUE] / median[PLAIN]);
	area_destroy(area);
	recorder_close();
	return EXIT_SUCCESS;
}
