/* SPDX-License-Identifier: MIT */
/* The number writers of the views against printf. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "view/message/number.h"

/* Returns numbers of every length, near powers and at random; the same in every run. */
static uint64_t sample(unsigned int i)
{
	static uint64_t seed = 88172645463325252u;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return i < 128 ? (UINT64_C(1) << i / 2) - (i & 1) : seed >> (i % 64);
}

static void check_decimal(uint64_t v)
{
	char wanted[32];
	char got[NUMBER_ROOM + 8];

	snprintf(wanted, sizeof(wanted), "%" PRIu64, v);
	*number_decimal(got, v) = '\0';
	assert_string_equal(got, wanted);
	snprintf(wanted, sizeof(wanted), "%" PRId64, (int64_t)v);
	*number_signed(got, (int64_t)v) = '\0';
	assert_string_equal(got, wanted);
}

static void decimals_are_those_of_printf(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 500000; i++) {
		check_decimal(sample(i));
	}
	for (uint64_t p = 1; p < UINT64_MAX / 10; p *= 10) {
		check_decimal(p - 1);
		check_decimal(p);
		check_decimal(p + 1);
	}
}

static void eight_digits_are_exact_over_their_range(void **state)
{
	char wanted[16];
	char got[NUMBER_ROOM];

	(void)state;
	for (uint64_t v = 0; v < NUMBER_E8; v += v < 20000 ? 1 : 101) {
		snprintf(wanted, sizeof(wanted), "%08" PRIu64, v);
		*number_fixed8(got, v) = '\0';
		assert_string_equal(got, wanted);
	}
}

static void hex_digits_are_those_of_printf(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 500000; i++) {
		uint64_t v = sample(i);
		unsigned int digits = 1 + i % 16;
		char wanted[32];
		char got[NUMBER_ROOM];

		snprintf(wanted, sizeof(wanted), "%0*" PRIx64, (int)digits, v);
		*number_hex(got, v, digits) = '\0';
		assert_string_equal(got, wanted);
	}
}

static void doubles_read_back_the_same(void **state)
{
	static const struct {
		double v;
		const char *text;
	} known[] = { { 0.1, "0.1" }, { -2.5, "-2.5" }, { 1e300, "1e+300" }, { 0, "0" },
		{ -0.0, "-0" }, { 1.0 / 3, "0.3333333333333333" },
		{ 5e-324, "4.94065645841247e-324" } };
	char got[NUMBER_ROOM];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		*number_real(got, known[i].v) = '\0';
		assert_string_equal(got, known[i].text);
	}
	for (unsigned int i = 0; i < 100000; i++) {
		uint64_t bits = sample(i) * UINT64_C(0x9E3779B97F4A7C15);
		double v;
		double back;

		memcpy(&v, &bits, sizeof(v));
		if (v - v == 0) {
			*number_real(got, v) = '\0';
			back = strtod(got, NULL);
			assert_memory_equal(&back, &v, sizeof(v));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals_are_those_of_printf),
		cmocka_unit_test(doubles_read_back_the_same),
		cmocka_unit_test(eight_digits_are_exact_over_their_range),
		cmocka_unit_test(hex_digits_are_those_of_printf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
