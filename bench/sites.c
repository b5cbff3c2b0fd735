/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of a disabled call without help from branch prediction or caches: 2048
 * functions with one call each, in random order, next to the same functions without calls.
 * sites.sh declares the events.
 *
 * sites rounds=N
 */
#include <stdlib.h>

#include "harness.h"
#include TRACE_HEADER

#define SITES 2048u
#define PASSES 20

/* Both functions take the same number of whole cache lines. */
#define FUNCTIONS(n)                                                                     \
	NOINLINE __attribute__((aligned(64))) static uint64_t plain_##n(uint64_t value)  \
	{                                                                                \
		return value * UINT64_C(6364136223846793005) + 0##n;                     \
	}                                                                                \
	NOINLINE __attribute__((aligned(64))) static uint64_t traced_##n(uint64_t value) \
	{                                                                                \
		value = value * UINT64_C(6364136223846793005) + 0##n;                    \
		trace_site_##n(value);                                                   \
		return value;                                                            \
	}

#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define EIGHT_OF_8(X, n) \
	EIGHT(X, n##0)   \
	EIGHT(X, n##1)   \
	EIGHT(X, n##2) EIGHT(X, n##3) EIGHT(X, n##4) EIGHT(X, n##5) EIGHT(X, n##6) EIGHT(X, n##7)
#define EIGHT_OF_64(X, n)   \
	EIGHT_OF_8(X, n##0) \
	EIGHT_OF_8(X, n##1) \
	EIGHT_OF_8(X, n##2) \
	EIGHT_OF_8(X, n##3) \
	EIGHT_OF_8(X, n##4) EIGHT_OF_8(X, n##5) EIGHT_OF_8(X, n##6) EIGHT_OF_8(X, n##7)
#define ALL(X) EIGHT_OF_64(X, 0) EIGHT_OF_64(X, 1) EIGHT_OF_64(X, 2) EIGHT_OF_64(X, 3)

ALL(FUNCTIONS)

#define PLAIN(n) plain_##n,
#define TRACED(n) traced_##n,

typedef uint64_t function(uint64_t value);

static function *const plain[SITES] = { ALL(PLAIN) };
static function *const traced[SITES] = { ALL(TRACED) };

static uint16_t order[SITES];

static void shuffle(void)
{
	uint64_t state = 1;

	for (uint16_t i = 0; i < SITES; i++) {
		order[i] = i;
	}
	for (unsigned int i = SITES - 1; i > 0; i--) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		unsigned int other = (unsigned int)(state >> 33) % (i + 1);
		uint16_t taken = order[other];

		order[other] = order[i];
		order[i] = taken;
	}
}

static double ns_per_call(function *const *functions)
{
	uint64_t value = 1;
	double begin = bench_now();

	for (int pass = 0; pass < PASSES; pass++) {
		for (unsigned int i = 0; i < SITES; i++) {
			value = functions[order[i]](value);
		}
	}
	__asm__ volatile("" : "+r"(value));
	return (bench_now() - begin) / (PASSES * SITES);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);

	uint64_t rounds = bench_number("rounds", 301);
	double *without = calloc(rounds, sizeof(*without));
	double *added = calloc(rounds, sizeof(*added));

	shuffle();
	ns_per_call(plain);
	ns_per_call(traced);
	for (uint64_t i = 0; i < rounds; i++) {
		without[i] = ns_per_call(plain);
		added[i] = ns_per_call(traced) - without[i];
	}
	bench_result("call_ns", bench_median(without, rounds));
	bench_result("added_ns", bench_median(added, rounds));
	free(without);
	free(added);
	return EXIT_SUCCESS;
}
