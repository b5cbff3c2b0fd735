/* SPDX-License-Identifier: MIT */
/* Integers of 128 bits as values of an expression. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expr/expr.h"

static void check_integer(uint64_t high, uint64_t low, bool is_signed, bool is_negative)
{
	struct expr_value v = expr_wide(low, high, is_signed);

	assert_int_equal(v.type, EXPR_INTEGER);
	assert_int_equal(v.as.integer, low);
	assert_int_equal(v.is_negative, is_negative);
}

static void check_fraction(uint64_t high, uint64_t low, bool is_signed, double expected)
{
	struct expr_value v = expr_wide(low, high, is_signed);

	assert_int_equal(v.type, EXPR_FLOAT);
	assert_true(v.as.number == expected);
}

static void what_fits_is_an_integer(void **state)
{
	(void)state;
	check_integer(0, 0, false, false);
	check_integer(0, UINT64_MAX, false, false);
	check_integer(0, UINT64_MAX, true, false);
	check_integer(0, UINT64_C(1) << 63, true, false);
	check_integer(UINT64_MAX, UINT64_MAX, true, true);
	check_integer(UINT64_MAX, UINT64_C(1) << 63, true, true);
}

static void what_does_not_is_the_nearest_fraction(void **state)
{
	(void)state;
	check_fraction(1, 0, false, 0x1p64);
	check_fraction(UINT64_MAX, UINT64_MAX, false, 0x1p128);
	check_fraction(UINT64_MAX, (UINT64_C(1) << 63) - 1, true, -0x1p63);
	check_fraction(UINT64_MAX, 0, true, -0x1p64);
	check_fraction(UINT64_C(1) << 63, 0, true, -0x1p127);
	/* Half of the last bit is rounded to even, and a little more is rounded up. */
	check_fraction(1, 1u << 11, false, 0x1p64);
	check_fraction(1, (1u << 11) + 1, false, 0x1.0000000000001p64);
	check_fraction(1u << 11, UINT64_C(1) << 63, false, 0x1.001p75);
	check_fraction((UINT64_C(1) << 53) + 1, 1, false, 0x1.0000000000001p117);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_an_integer),
		cmocka_unit_test(what_does_not_is_the_nearest_fraction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
