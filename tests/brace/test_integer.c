/* SPDX-License-Identifier: MIT */
/* Integers agree with printf() in all forms that it has, and fill every width. */
#include <inttypes.h>

#include "unit.h"

static void assert_as_printf(const char *message, const char *format, uint64_t n)
{
	char expected[128];

	snprintf(expected, sizeof(expected), format, n);
	assert_string_equal(rendered(message, waymark_debug_u64(n)), expected);
}

static void integers_agree_with_printf(void **state)
{
	(void)state;
	for (unsigned long i = rounds(100000); i > 0; i--) {
		uint64_t n = random_bits() >> (random_bits() & 63);

		assert_as_printf("{}", "%" PRIu64, n);
		assert_as_printf("{:x}", "%" PRIx64, n);
		assert_as_printf("{:020X}", "%020" PRIX64, n);
		assert_as_printf("{:o}", "%" PRIo64, n);
		assert_as_printf("{:<24x}|", "%-24" PRIx64 "|", n);
		assert_string_equal(rendered("{:x?}", waymark_debug_i8(-1)), "ff");
	}
}

static void edges_of_every_width(void **state)
{
	(void)state;
	assert_string_equal(rendered("{:x}", waymark_debug_i8(-128)), "80");
	assert_string_equal(rendered("{:#b}", waymark_debug_i16(-1)), "0b1111111111111111");
	assert_string_equal(rendered("{}", waymark_debug_i64(INT64_MIN)), "-9223372036854775808");
	assert_string_equal(rendered("{:#06x}", waymark_debug_u16(255)), "0x00ff");
	assert_string_equal(rendered("{:*^+9}", waymark_debug_i32(42)), "***+42***");
	assert_string_equal(rendered("{:+}", waymark_debug_wide(WAYMARK_DEBUG_U128, 1, 0)),
		"+18446744073709551616");
	assert_string_equal(rendered("{:o}", waymark_debug_wide(WAYMARK_DEBUG_I128, ~0ull, ~0ull)),
		"3777777777777777777777777777777777777777777");
	assert_string_equal(rendered("{:e}", waymark_debug_u32(1500)), "1.5e3");
	assert_string_equal(rendered("{:.1E}", waymark_debug_i32(-999)), "-1.0E3");
}

static void every_width_is_filled(void **state)
{
	(void)state;
	for (int width = 0; width < 200; width++) {
		char message[32];
		size_t expected = width > 6 ? (size_t)width : 6;

		snprintf(message, sizeof(message), "{:%c>#%d}", 'a' + width % 26, width + 1);
		assert_int_equal(strlen(rendered(message, waymark_debug_i32(-12345))),
			width + 1 > 6 ? width + 1 : 6);
		snprintf(message, sizeof(message), "{:^0%d}", width + (width == 0));
		assert_int_equal(strlen(rendered(message, waymark_debug_i32(-12345))), expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_agree_with_printf),
		cmocka_unit_test(edges_of_every_width),
		cmocka_unit_test(every_width_is_filled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
