/* SPDX-License-Identifier: MIT */
/* Files of event names and patterns. */
#include <stdlib.h>
#include <string.h>

#include "rt/control/events_file.h"
#include "unit.h"

static struct waymark_rules rules;
static struct waymark_error error;

static int teardown(void **state)
{
	(void)state;
	waymark_rules_fini(&rules);
	return 0;
}

static int parse_bytes(const char *text, size_t len)
{
	/* An exact copy on the heap, so that a sanitizer sees a read beyond its end. */
	char *copy = calloc(len ? len : 1, 1);

	memcpy(copy, text, len);
	int result = waymark_events_file_parse(&rules, "list", copy, len, &error);

	free(copy);
	return result;
}

static void parse(const char *text)
{
	if (parse_bytes(text, strlen(text)) < 0) {
		fail_msg("%s", error.text);
	}
}

static void assert_rule(size_t i, const char *pattern, bool on)
{
	assert_true(i < rules.count);
	assert_string_equal(rules.items[i].pattern, pattern);
	assert_int_equal(rules.items[i].on, on);
}

static void comments_and_blank_lines_are_skipped(void **state)
{
	(void)state;
	parse("# all of it\n\n  \t\n*\n  # but\n-blk_read\n");
	assert_int_equal(rules.count, 2);
	assert_rule(0, "*", true);
	assert_rule(1, "blk_read", false);
}

static void last_line_needs_no_newline_and_keeps_its_last_character(void **state)
{
	(void)state;
	parse("one\ntwo");
	assert_int_equal(rules.count, 2);
	assert_rule(1, "two", true);
}

static void crlf_and_blanks_around_a_name_do_not_count(void **state)
{
	(void)state;
	parse("one\r\n  two \t\r\n");
	assert_int_equal(rules.count, 2);
	assert_rule(0, "one", true);
	assert_rule(1, "two", true);
}

static void names_of_one_character_count(void **state)
{
	(void)state;
	parse("a\n");
	assert_rule(0, "a", true);
}

static void line_may_be_an_expression(void **state)
{
	(void)state;
	parse("/^blk_(read|write)$/\r\n -/a, b;[(]/ \n");
	assert_int_equal(rules.count, 2);
	assert_rule(0, "/^blk_(read|write)$/", true);
	assert_rule(1, "/a, b;[(]/", false);
}

static void names_of_a_category_are_any_text(void **state)
{
	(void)state;
	parse("VirtioFs\n -VirtioFs:read (zero-message) \nUSB:a, \"b\" # [c]=d\n*:\xc3\xa9\n");
	assert_int_equal(rules.count, 4);
	assert_rule(0, "VirtioFs", true);
	assert_rule(1, "VirtioFs:read (zero-message)", false);
	assert_rule(2, "USB:a, \"b\" # [c]=d", true);
	assert_rule(3, "*:\xc3\xa9", true);
}

static void long_lines_are_not_split(void **state)
{
	char text[5001];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[5000] = '\0';
	parse(text);
	assert_int_equal(rules.count, 1);
	assert_int_equal(strlen(rules.items[0].pattern), 5000);
}

static void empty_file_asks_nothing(void **state)
{
	(void)state;
	parse("");
	parse("\n\n");
	assert_int_equal(rules.count, 0);
}

static void refuse(const char *text, size_t len, const char *reason)
{
	assert_int_equal(parse_bytes(text, len), -1);
	assert_string_equal(error.text, reason);
}

static void what_is_no_pattern_is_an_error_with_its_line(void **state)
{
	static const char elf[] = "\177ELF\0\1";

	(void)state;
	refuse("a\nblk_read(int x)\n", 17,
		"list:2: not the name or pattern of an event: "
		"'blk_read(int x)'");
	refuse("a b", 3, "list:1: not the name or pattern of an event: 'a b'");
	refuse("a-b", 3, "list:1: not the name or pattern of an event: 'a-b'");
	refuse("\n\n-\n", 4, "list:3: the name or pattern of an event is missing");
	refuse("a\n/x(/\n", 7, "list:2: regular expression '/x(/': Unmatched ( or \\(");
	refuse("/x\1y/", 5, "list:1: not the name or pattern of an event: '/x\\x01y/'");
	refuse("// a comment", 12,
		"list:1: '// a comment': a regular expression has a slash at each end; the "
		"second one is missing");
	refuse(elf, sizeof(elf), "list:1: not the name or pattern of an event: '\\x7fELF'");
}

static void missing_file_says_so(void **state)
{
	(void)state;
	assert_int_equal(waymark_events_file_read(&rules, "no/such/list", &error), -1);
	assert_string_equal(error.text, "no/such/list: No such file or directory");
}

static void endless_file_is_refused(void **state)
{
	(void)state;
	assert_int_equal(waymark_events_file_read(&rules, "/dev/zero", &error), -1);
	assert_string_equal(error.text, "/dev/zero: File too large");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(comments_and_blank_lines_are_skipped, teardown),
		cmocka_unit_test_teardown(
			last_line_needs_no_newline_and_keeps_its_last_character, teardown),
		cmocka_unit_test_teardown(crlf_and_blanks_around_a_name_do_not_count, teardown),
		cmocka_unit_test_teardown(names_of_one_character_count, teardown),
		cmocka_unit_test_teardown(line_may_be_an_expression, teardown),
		cmocka_unit_test_teardown(names_of_a_category_are_any_text, teardown),
		cmocka_unit_test_teardown(long_lines_are_not_split, teardown),
		cmocka_unit_test_teardown(empty_file_asks_nothing, teardown),
		cmocka_unit_test_teardown(what_is_no_pattern_is_an_error_with_its_line, teardown),
		cmocka_unit_test_teardown(missing_file_says_so, teardown),
		cmocka_unit_test_teardown(endless_file_is_refused, teardown),
	};

	return cmocka_run_group_tests_name("events file", tests, NULL, NULL);
}
