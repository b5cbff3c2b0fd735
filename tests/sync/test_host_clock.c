/* SPDX-License-Identifier: MIT */
/* Clocks of guests that run too fast or too slow, measured by round trips of random asymmetry. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "recover/host_clock.h"

#define SECOND UINT64_C(1000000000)
#define BOOT UINT64_C(1795000000000000000)
#define COUNT 20

static double random_part(void)
{
	return (double)rand() / RAND_MAX;
}

/* The host's time at a guest's time, with a constant rate. */
static uint64_t truth(double rate, uint64_t guest_ns)
{
	return BOOT + guest_ns + (uint64_t)(int64_t)(rate * (double)guest_ns);
}

static struct host_sample measured(double rate, uint64_t guest_ns)
{
	uint64_t error = 1000 + (uint64_t)(random_part() * 1e5);
	int64_t off = (int64_t)((random_part() * 2 - 1) * (double)error);

	return (struct host_sample){ guest_ns, truth(rate, guest_ns) + (uint64_t)off, error };
}

static struct host_clock fitted(const struct host_sample *samples, size_t count)
{
	struct host_clock c = { .samples = samples, .count = count, .host = "h", .boot_id = "b" };

	host_clock_fit(&c);
	return c;
}

/* Checks the answer at a time, and returns its error. */
static uint64_t check(const struct host_clock *c, double rate, uint64_t guest_ns)
{
	uint64_t error;
	uint64_t host = host_clock_at(c, guest_ns, &error);
	int64_t off = (int64_t)(host - truth(rate, guest_ns));

	assert_true(llabs(off) <= (int64_t)error + 1);
	return error;
}

static void test_truth_is_within_the_error(void **state)
{
	(void)state;
	for (int i = 0; i < 300; i++) {
		struct host_sample samples[COUNT];
		double rate = (random_part() * 2 - 1) * 5e-4;
		size_t count = 1 + (size_t)rand() % COUNT;
		uint64_t at = SECOND;

		for (size_t k = 0; k < count; k++) {
			samples[k] = measured(rate, at);
			at += 1 + (uint64_t)(random_part() * 2e9);
		}
		struct host_clock c = fitted(samples, count);

		assert_true(c.widened == 0);
		for (int k = 0; k < 5; k++) {
			check(&c, rate, (uint64_t)(random_part() * 60e9));
		}
	}
}

static void test_two_measurements_bound_the_time_between_them(void **state)
{
	struct host_sample samples[] = { measured(1e-4, SECOND), measured(1e-4, 100 * SECOND) };
	uint64_t worse = samples[0].error_ns > samples[1].error_ns ? samples[0].error_ns
								   : samples[1].error_ns;
	struct host_clock c = fitted(samples, 2);

	(void)state;
	for (uint64_t at = SECOND; at <= 100 * SECOND; at += SECOND) {
		assert_true(check(&c, 1e-4, at) <= worse + 1);
	}
	assert_true(check(&c, 1e-4, 1000 * SECOND) > worse);
}

static void test_one_measurement_leaves_the_rate_open(void **state)
{
	struct host_sample sample = { 50 * SECOND, BOOT, 1000 };
	struct host_clock c = fitted(&sample, 1);
	uint64_t error;

	(void)state;
	assert_int_equal(host_clock_at(&c, 50 * SECOND, &error), BOOT);
	assert_in_range(error, 1000, 1001);
	assert_int_equal(host_clock_at(&c, 51 * SECOND, &error), BOOT + SECOND);
	assert_in_range(error, 1000000, 1002000);
}

static void test_a_clock_that_was_set_widens_the_bounds(void **state)
{
	struct host_sample samples[] = {
		{ 1 * SECOND, BOOT + 1 * SECOND, 1000 },
		{ 2 * SECOND, BOOT + 2 * SECOND, 1000 },
		{ 3 * SECOND, BOOT + 3 * SECOND + SECOND / 2, 1000 },
	};
	struct host_clock c = fitted(samples, 3);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		uint64_t error;
		uint64_t host = host_clock_at(&c, samples[i].guest_ns, &error);

		assert_true((uint64_t)llabs((int64_t)(host - samples[i].host_ns)) <= error + 1);
		assert_true(error > SECOND / 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truth_is_within_the_error),
		cmocka_unit_test(test_two_measurements_bound_the_time_between_them),
		cmocka_unit_test(test_one_measurement_leaves_the_rate_open),
		cmocka_unit_test(test_a_clock_that_was_set_widens_the_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
