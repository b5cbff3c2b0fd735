/* SPDX-License-Identifier: MIT */
/* Lines of text in fixed buffers, and patterns over names. */
#include <string.h>

#include "base/glob.h"
#include "rt/host/line.h"
#include "unit.h"

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
		cmocka_unit_test(short_text_stands_as_it_is),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(text_that_just_fits_is_not_cut),
		cmocka_unit_test(longer_text_is_cut_and_marked),
		cmocka_unit_test(no_character_is_cut_in_two),
		cmocka_unit_test(patterns_match_whole_names),
	};

	return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
