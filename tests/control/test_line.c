/* SPDX-License-Identifier: MIT */
/* Lines of text in fixed buffers, and patterns over names. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "rt/host/error.h"
#include "rt/host/line.h"
#include "unit.h"

static void conversions_are_those_of_printf(void **state)
{
	char data[128];
	char expected[128];
	struct line l;

	(void)state;
#define AGREE(...)                                                 \
	do {                                                       \
		line_init(&l, data, sizeof(data));                 \
		waymark_line_put(&l, __VA_ARGS__);                 \
		snprintf(expected, sizeof(expected), __VA_ARGS__); \
		assert_string_equal(data, expected);               \
		assert_int_equal(l.len, strlen(expected));         \
	} while (0)
	AGREE("%s", "");
	AGREE("a %s, %d%% and %u.", "b", -1, 7u);
	AGREE("%d %d %d", INT_MIN, 0, INT_MAX);
	AGREE("%ld %ld", LONG_MIN, LONG_MAX);
	AGREE("%lld %llu %lu", LLONG_MIN, ULLONG_MAX, ULONG_MAX);
#undef AGREE
}

static void text_that_is_put_is_cut_at_the_buffers_end(void **state)
{
	char data[16];
	struct line l;

	(void)state;
	memset(data, '#', sizeof(data));
	line_init(&l, data, 8);
	waymark_line_put(&l, "12%s", "3456");
	assert_string_equal(data, "123456");
	assert_false(l.cut);
	waymark_line_put(&l, "%u", 789u);
	assert_string_equal(data, "1234567");
	assert_true(l.cut);
	assert_int_equal(data[8], '#');
}

static void reasons_are_in_english_and_never_missing(void **state)
{
	char spare[REASON_BYTES];

	(void)state;
	assert_non_null(strstr(waymark_reason(ENOSPC, spare), "No space left"));
	assert_string_equal(waymark_reason(987654321, spare), "error 987654321");
	assert_string_equal(waymark_reason(INT_MIN, spare), "error -2147483648");
}

/* Prints `text` into a buffer of `size` bytes and ends the line. */
static void assert_line(size_t size, const char *text, const char *expected)
{
	char data[256];
	struct line l;

	memset(data, '#', sizeof(data));
	line_init(&l, data, size);
	waymark_line_printf(&l, "%s", text);
	waymark_line_end(&l);
	assert_int_equal(l.len, strlen(expected));
	assert_memory_equal(data, expected, l.len);
	assert_int_equal(data[size], '#');
}

static void short_text_stands_as_it_is(void **state)
{
	(void)state;
	assert_line(100, "hello", "hello\n");
	assert_line(100, "", "\n");
	assert_line(100, "tab\there \xc3\xa4", "tab\there \xc3\xa4\n");
}

static void control_characters_are_escaped(void **state)
{
	(void)state;
	assert_line(100, "a\nb\r\x1b[0m\x7f", "a\\nb\\r\\x1b[0m\\x7f\n");
	assert_line(100, "\n", "\\n\n");
}

static void what_misleads_and_what_is_no_utf_8_is_escaped(void **state)
{
	(void)state;
	assert_line(100,
		"\xc2\x9b"
		"31m \xe2\x80\xae",
		"\\u009b31m \\u202e\n");
	assert_line(100,
		"a\xe2\x80\xa8"
		"b\xe2\x81\xa6",
		"a\\u2028b\\u2066\n");
	assert_line(100, "\x9b\xff\xe2\x82 \xc3", "\\x9b\\xff\\xe2\\x82 \\xc3\n");
	assert_line(100, "\xf0\x9f\x98\x80 \xed\xa0\x80", "\xf0\x9f\x98\x80 \\xed\\xa0\\x80\n");
	assert_line(8, "\xc2\x9b", "\\u009b\n");
	assert_line(8, "a\xc2\x9b\xc2\x9b", "a...\n");
}

static void text_that_just_fits_is_not_cut(void **state)
{
	(void)state;
	assert_line(8, "123456", "123456\n");
	assert_line(11, "12345678\x01", "1234567...\n");
	assert_line(14, "12345678\x01", "12345678\\x01\n");
}

static void longer_text_is_cut_and_marked(void **state)
{
	(void)state;
	assert_line(8, "12345678", "1234...\n");
	assert_line(8, "123456\n\n\n\n", "1234...\n");
	assert_line(8, "\x01\x01\x01", "\\x01...\n");
}

static void no_character_is_cut_in_two(void **state)
{
	(void)state;
	assert_line(8, "abc\xc3\xa4\xc3\xa4\xc3\xa4", "abc...\n");
	assert_line(8, "ab\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", "ab...\n");
}

static void patterns_match_whole_names(void **state)
{
	(void)state;
	assert_true(glob_match("blk_*", "blk_read"));
	assert_true(glob_match("*read", "blk_read"));
	assert_true(glob_match("*_*_*", "a_b_c_d"));
	assert_true(glob_match("b?k_read", "blk_read"));
	assert_true(glob_match("*", ""));
	assert_false(glob_match("blk_", "blk_read"));
	assert_false(glob_match("?", ""));
	assert_false(glob_match("blk_read?", "blk_read"));
	assert_false(glob_match("", "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conversions_are_those_of_printf),
		cmocka_unit_test(text_that_is_put_is_cut_at_the_buffers_end),
		cmocka_unit_test(reasons_are_in_english_and_never_missing),
		cmocka_unit_test(short_text_stands_as_it_is),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(what_misleads_and_what_is_no_utf_8_is_escaped),
		cmocka_unit_test(text_that_just_fits_is_not_cut),
		cmocka_unit_test(longer_text_is_cut_and_marked),
		cmocka_unit_test(no_character_is_cut_in_two),
		cmocka_unit_test(patterns_match_whole_names),
	};

	return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
