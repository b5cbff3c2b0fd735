/* SPDX-License-Identifier: MIT */
/*
 * Percentiles of distributions differ by at most 1 % from those of the sorted values, for any
 * values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/numbers/distribution.h"

#define VALUES 5000

static uint64_t state = UINT64_C(88172645463325252);

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t any_magnitude(void)
{
	return next_random() >> next_random() % 64;
}

static uint64_t small(void)
{
	return next_random() % 200;
}

static uint64_t microseconds(void)
{
	return 1000 + next_random() % 50000;
}

static uint64_t mostly_short(void)
{
	return next_random() % 100 ? 90 + next_random() % 20 : UINT64_C(3600000000000);
}

static uint64_t always_one(void)
{
	return UINT64_C(123456789);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check(const struct distribution *d, const uint64_t *sorted, size_t count)
{
	static const unsigned int thousandths[] = { 0, 10, 100, 250, 500, 750, 900, 990, 999,
		1000 };

	for (size_t i = 0; i < sizeof(thousandths) / sizeof(*thousandths); i++) {
		size_t rank = (thousandths[i] * count + 999) / 1000;
		double exact = (double)sorted[rank ? rank - 1 : 0];
		double found = (double)distribution_percentile(
			d, (struct distribution_share){ thousandths[i], 1000 });

		if (found < exact * 0.99 || found > exact * 1.01) {
			fail_msg("%u/1000 of %zu: %.0f, not %.0f", thousandths[i], count, found,
				exact);
		}
	}
	uint64_t sum = 0;

	for (unsigned int bits = 0; bits <= 64; bits++) {
		uint64_t below = 0;

		sum += distribution_of_bits(d, bits);
		for (size_t i = 0; i < count; i++) {
			below += bits == 64 || sorted[i] >> bits == 0;
		}
		assert_int_equal(sum, below);
	}
	assert_int_equal(d->min, sorted[0]);
	assert_int_equal(d->max, sorted[count - 1]);
}

static void percentiles_are_within_one_percent(void **unused)
{
	static uint64_t (*const kinds[])(
		void) = { any_magnitude, small, microseconds, mostly_short, always_one };
	static uint64_t values[VALUES];

	(void)unused;
	for (size_t i = 0; i < 20 * sizeof(kinds) / sizeof(*kinds); i++) {
		struct distribution d = { 0 };
		size_t count = 1 + next_random() % VALUES;
		uint64_t sum = 0;

		for (size_t v = 0; v < count; v++) {
			values[v] = kinds[i / 20]();
			distribution_add(&d, values[v]);
			sum += values[v];
		}
		qsort(values, count, sizeof(*values), compare);
		check(&d, values, count);
		assert_int_equal(d.count, count);
		assert_int_equal(d.sum, sum);
		distribution_fini(&d);
	}
}

/* 99.9 / 100 * 1000 is more than 999. */
static void ranks_are_exact(void **unused)
{
	struct distribution d = { 0 };

	(void)unused;
	for (uint64_t value = 1; value <= 50; value++) {
		distribution_add(&d, value);
	}
	for (uint64_t percent = 2; percent <= 100; percent += 2) {
		assert_int_equal(
			distribution_percentile(&d, (struct distribution_share){ percent, 100 }),
			percent / 2);
	}
	distribution_fini(&d);
}

static void the_ends_of_the_range_are_cells(void **unused)
{
	(void)unused;
	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t values[] = { UINT64_C(1) << bit, (UINT64_C(1) << bit) - 1, UINT64_MAX };
		struct distribution d = { 0 };

		for (size_t i = 0; i < 3; i++) {
			distribution_add(&d, values[i]);
		}
		qsort(values, 3, sizeof(*values), compare);
		check(&d, values, 3);
		distribution_fini(&d);
	}
}

static void nothing_is_zero(void **unused)
{
	struct distribution d = { 0 };

	(void)unused;
	assert_int_equal(distribution_percentile(&d, (struct distribution_share){ 1, 2 }), 0);
	assert_int_equal(distribution_average(&d), 0);
}

static void only_powers_of_two_that_are_used_take_memory(void **unused)
{
	struct distribution d = { 0 };
	size_t used = 0;

	(void)unused;
	for (uint64_t value = 4096; value < 16384; value++) {
		distribution_add(&d, value);
	}
	for (size_t i = 0; i < DISTRIBUTION_BLOCKS; i++) {
		used += d.blocks[i] != NULL;
	}
	assert_int_equal(used, 2);
	distribution_fini(&d);
	assert_int_equal(d.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_within_one_percent),
		cmocka_unit_test(ranks_are_exact),
		cmocka_unit_test(the_ends_of_the_range_are_cells),
		cmocka_unit_test(nothing_is_zero),
		cmocka_unit_test(only_powers_of_two_that_are_used_take_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
