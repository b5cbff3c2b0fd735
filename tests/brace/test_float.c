/* SPDX-License-Identifier: MIT */
/*
 * Floats of random bits: the digits read back as the same number, fewer digits do not, and
 * rounded digits equal those of printf(), which is exact.
 */
#include <math.h>

#include "unit.h"

static double f64_of(uint64_t bits)
{
	double f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static float f32_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Returns random bits, or a decimal fraction of a few digits. */
static double random_f64(void)
{
	uint64_t kind = random_bits() & 3;

	if (kind == 0) {
		return (double)(int64_t)(random_bits() >> 40) / 1000;
	}
	return f64_of(kind == 1 ? random_bits() & 0x800fffffffffffff : random_bits());
}

static unsigned int digits_in(const char *text)
{
	unsigned int n = 0;

	for (; *text && *text != 'e'; text++) {
		n += *text >= '0' && *text <= '9';
	}
	return n;
}

/* Replaces d.ddde+05 by d.ddde5. */
static void as_rust(char *exponent_text)
{
	char *e = strchr(exponent_text, 'e');
	int exponent = atoi(e + 1);

	sprintf(e + 1, "%d", exponent);
}

/*
 * Returns true if the digits after the shown ones are exactly a half: Rust rounds these up,
 * printf() to even.
 */
static bool is_tie(double f, unsigned int digits)
{
	char exact[128];
	const char *rest;

	snprintf(exact, sizeof(exact), "%.60e", fabs(f));
	rest = exact + digits + (digits > 0);
	return *rest == '5' && strspn(rest + 1, "0") == strcspn(rest + 1, "e");
}

static void assert_f64_shortest(double f)
{
	char shorter[64];
	const char *text = rendered("{:e}", waymark_debug_f64(f));
	unsigned int digits = digits_in(text);

	assert_true(strtod(text, NULL) == f && signbit(strtod(text, NULL)) == signbit(f));
	assert_true(digits <= 17);
	if (digits > 1) {
		snprintf(shorter, sizeof(shorter), "%.*e", (int)digits - 2, f);
		assert_true(strtod(shorter, NULL) != f);
	}
	snprintf(shorter, sizeof(shorter), "%.*e", (int)digits - 1, f);
	/* The nearest number of that length, unless that does not read back as the same float. */
	if (strtod(shorter, NULL) == f && !is_tie(f, digits)) {
		as_rust(shorter);
		assert_string_equal(text, shorter);
	}
}

static void assert_f32_shortest(float f)
{
	char shorter[64];
	const char *text = rendered("{:e}", waymark_debug_f32(f));
	unsigned int digits = digits_in(text);

	assert_true(strtof(text, NULL) == f);
	assert_true(digits <= 9);
	if (digits > 1) {
		snprintf(shorter, sizeof(shorter), "%.*e", (int)digits - 2, (double)f);
		assert_true(strtof(shorter, NULL) != f);
	}
}

static void digits_of_f64_are_the_fewest_that_read_back(void **state)
{
	(void)state;
	for (unsigned long i = rounds(300000); i > 0; i--) {
		double f = random_f64();

		if (isfinite(f)) {
			assert_f64_shortest(f);
		}
	}
}

static void digits_of_f32_are_the_fewest_that_read_back(void **state)
{
	(void)state;
	for (unsigned long i = rounds(300000); i > 0; i--) {
		float f = f32_of((uint32_t)random_bits());

		if (isfinite(f)) {
			assert_f32_shortest(f);
		}
	}
}

static void display_and_debug_read_back(void **state)
{
	(void)state;
	for (unsigned long i = rounds(50000); i > 0; i--) {
		double f = random_f64();

		if (isfinite(f)) {
			assert_true(strtod(rendered("{}", waymark_debug_f64(f)), NULL) == f);
			assert_true(strtod(rendered("{:?}", waymark_debug_f64(f)), NULL) == f);
			assert_null(strchr(rendered("{}", waymark_debug_f64(f)), 'e'));
		}
	}
}

/*
 * The bits must be equal, including the sign of zero; a NaN, which has no digits, may be any NaN.
 */
static void every_bit_of_any_float_reads_back(void **state)
{
	static const char *const messages[] = { "{}", "{:?}", "{:e}", "{:E}" };

	(void)state;
	for (unsigned long i = rounds(50000); i > 0; i--) {
		uint64_t bits = random_bits();
		float f32 = f32_of((uint32_t)bits);
		double f64;

		memcpy(&f64, &bits, sizeof(f64));
		const char *message = messages[i % ARRAY_SIZE(messages)];
		double back64 = strtod(rendered(message, waymark_debug_f64(f64)), NULL);
		float back32 = strtof(rendered(message, waymark_debug_f32(f32)), NULL);

		assert_true(isnan(f64) ? isnan(back64) : memcmp(&back64, &f64, 8) == 0);
		assert_true(isnan(f32) ? isnan(back32) : memcmp(&back32, &f32, 4) == 0);
	}
}

static void precision_rounds_as_printf(void **state)
{
	(void)state;
	for (unsigned long i = rounds(100000); i > 0; i--) {
		double f = random_f64();
		int precision = (int)(random_bits() % (i % 50 ? 25 : 800));
		char message[32];
		char expected[2048];

		if (!isfinite(f)) {
			continue;
		}
		snprintf(message, sizeof(message), "{:.%de}", precision);
		snprintf(expected, sizeof(expected), "%.*e", precision, f);
		as_rust(expected);
		assert_string_equal(rendered(message, waymark_debug_f64(f)), expected);
		snprintf(message, sizeof(message), "{:.%d}", precision);
		snprintf(expected, sizeof(expected), "%.*f", precision, f);
		assert_string_equal(rendered(message, waymark_debug_f64(f)), expected);
	}
}

static void every_power_of_two(void **state)
{
	(void)state;
	for (int e = -1074; e < 1024; e++) {
		double f = ldexp(1, e);

		assert_true(strtod(rendered("{:e}", waymark_debug_f64(f)), NULL) == f);
		assert_true(strtod(rendered("{:e}", waymark_debug_f64(nextafter(f, 0))), NULL) ==
			    nextafter(f, 0));
	}
}

static void special_numbers(void **state)
{
	(void)state;
	assert_string_equal(rendered("{:+05}", waymark_debug_f64(-INFINITY)), "-0inf");
	assert_string_equal(rendered("{:+05}", waymark_debug_f64((double)NAN)), "00NaN");
	assert_string_equal(rendered("{:?}", waymark_debug_f64(-0.0)), "-0.0");
	assert_string_equal(rendered("{:?}", waymark_debug_f64(1e16)), "1e16");
	assert_string_equal(rendered("{:?}", waymark_debug_f64(9e-5)), "9e-5");
	assert_string_equal(rendered("{:?}", waymark_debug_f64(1e-4)), "0.0001");
	assert_string_equal(
		rendered("{}", waymark_debug_f64(1052730259603332.25)), "1052730259603332.3");
	assert_string_equal(rendered("{:.0}", waymark_debug_f64(0.5)), "0");
	assert_string_equal(rendered("{:.0}", waymark_debug_f64(1.5)), "2");
	assert_string_equal(rendered("{:08.2}", waymark_debug_f64(-3.14159)), "-0003.14");
	assert_int_equal(strlen(rendered("{:.65535}", waymark_debug_f64(5e-324))), 65537);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(special_numbers),
		cmocka_unit_test(every_power_of_two),
		cmocka_unit_test(digits_of_f64_are_the_fewest_that_read_back),
		cmocka_unit_test(digits_of_f32_are_the_fewest_that_read_back),
		cmocka_unit_test(display_and_debug_read_back),
		cmocka_unit_test(every_bit_of_any_float_reads_back),
		cmocka_unit_test(precision_rounds_as_printf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
