/* SPDX-License-Identifier: MIT */
/* Width, fill and alignment of any value; an independent reader of UTF-8 counts the characters. */
#include "unit.h"

static size_t characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++) {
		n += ((unsigned char)*text & 0xc0) != 0x80;
	}
	return n;
}

/* Returns a fill that no value contains. */
static const char *random_fill(void)
{
	static const char *const fills[] = { "*", "_", "é", "語", "😀", "{", "}", "<", "^" };

	return fills[random_bits() % ARRAY_SIZE(fills)];
}

static struct waymark_debug random_value(void)
{
	uint64_t bits = random_bits() >> random_bits() % 64;
	double f64;

	memcpy(&f64, &bits, sizeof(f64));
	const struct waymark_debug values[] = {
		waymark_debug_u8((uint8_t)bits),
		waymark_debug_i64((int64_t)bits),
		waymark_debug_u128(waymark_u128_of(bits, random_bits())),
		waymark_debug_f64(f64),
		waymark_debug_f32((float)bits),
		waymark_debug_bool(bits & 1),
		waymark_debug_char('a' + bits % 26),
		waymark_debug_string("日本 text"),
		waymark_debug_string(NULL),
	};

	return values[random_bits() % ARRAY_SIZE(values)];
}

/* Returns the number of fills that `text` begins with. */
static size_t fills_before(const char *text, const char *fill)
{
	size_t n = 0;

	for (; strncmp(text, fill, strlen(fill)) == 0; text += strlen(fill)) {
		n++;
	}
	return n;
}

static void any_value_is_filled_to_any_width(void **state)
{
	(void)state;
	for (unsigned long i = rounds(50000); i > 0; i--) {
		struct waymark_debug v = random_value();
		const char *fill = random_fill();
		unsigned int width = (unsigned int)(random_bits() % 60);
		unsigned int align = (unsigned int)(random_bits() % 3);
		char plain[1024];
		char message[32];

		strcpy(plain, rendered("{}", v));
		size_t own = characters(plain);
		size_t missing = width > own ? width - own : 0;

		snprintf(message, sizeof(message), "{:%s%c%u}", fill, "<^>"[align], width);
		const char *text = rendered(message, v);

		assert_int_equal(characters(text), own + missing);
		assert_int_equal(fills_before(text, fill), missing * align / 2);
		assert_memory_equal(
			text + missing * align / 2 * strlen(fill), plain, strlen(plain));
	}
}

static void zeros_follow_sign_and_prefix(void **state)
{
	(void)state;
	for (unsigned long i = rounds(50000); i > 0; i--) {
		int64_t n = (int64_t)random_bits() >> random_bits() % 64;
		unsigned int width = (unsigned int)(random_bits() % 60);
		char message[32];
		char expected[128];

		snprintf(message, sizeof(message), "{:+0%u}", width);
		snprintf(expected, sizeof(expected), "%+0*lld", (int)width, (long long)n);
		assert_string_equal(rendered(message, waymark_debug(n)), expected);
		snprintf(message, sizeof(message), "{:#0%ux}", width);
		/* printf() prints zero without a prefix. */
		snprintf(expected, sizeof(expected), "0x%0*llx", width > 2 ? (int)width - 2 : 0,
			(long long)n);
		assert_string_equal(rendered(message, waymark_debug(n)), expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_value_is_filled_to_any_width),
		cmocka_unit_test(zeros_follow_sign_and_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
