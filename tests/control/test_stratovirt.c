/* SPDX-License-Identifier: MIT */
/* Parses the option and its lists in StratoVirt's dialect; applies nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/control/events_file.h"
#include "rt/control/option.h"
#include "unit.h"

#define STRATO "dialect=stratovirt,"

static struct waymark_config c;
static struct waymark_rules rules;
static struct waymark_error error;
static char list[] = "/tmp/waymark-stratovirt-XXXXXX";

static int teardown(void **state)
{
	(void)state;
	waymark_config_fini(&c);
	waymark_rules_fini(&rules);
	return 0;
}

static void parse(const char *text)
{
	waymark_config_fini(&c);
	if (waymark_option_parse(&c, text, &error) < 0) {
		fail_msg("'%s': %s", text, error.text);
	}
}

static void refuse(const char *text, const char *reason)
{
	waymark_config_fini(&c);
	assert_int_equal(waymark_option_parse(&c, text, &error), -1);
	if (!strstr(error.text, reason)) {
		fail_msg("'%s': '%s' does not contain '%s'", text, error.text, reason);
	}
}

static void write_list(const char *text)
{
	FILE *f = fopen(list, "w");

	fputs(text, f);
	fclose(f);
}

static void assert_rule(size_t i, const char *pattern, enum rule_type type)
{
	assert_true(i < c.rules.count);
	assert_string_equal(c.rules.items[i].pattern, pattern);
	assert_int_equal(c.rules.items[i].type, type);
	assert_true(c.rules.items[i].on);
}

static void nothing_is_guessed_from_the_syntax(void **state)
{
	(void)state;
	parse("file=a");
	assert_string_equal(c.file, "a");
	refuse("type=all", "Invalid parameter 'type': it belongs to the dialect stratovirt; "
			   "begin this option with dialect=stratovirt");
	parse("dialect=waymark,file=a");
	assert_string_equal(c.file, "a");
}

static void dialect_is_the_first_key(void **state)
{
	(void)state;
	refuse("type=all,dialect=stratovirt", "to the dialect stratovirt");
	refuse("*,dialect=stratovirt", "dialect=stratovirt must be the first key of the option");
	refuse("dialect=waymark,dialect=stratovirt", "must be the first key of the option");
	refuse(STRATO "type=all,dialect=waymark", "must be the first key of the option");
	refuse("dialect=qemu", "dialect=: 'qemu' is not one of waymark, stratovirt");
	refuse("dialct=stratovirt", "did you mean 'dialect='?");
}

static void file_and_events_name_lists(void **state)
{
	char text[128];

	(void)state;
	write_list("virtio\n");
	snprintf(text, sizeof(text), STRATO "file=%s,events=%s", list, list);
	parse(text);
	assert_null(c.file);
	assert_int_equal(c.rules.count, 2);
	assert_rule(1, "/virtio/", RULE_ALL);
}

static void type_is_the_first_to_take_effect(void **state)
{
	char text[128];

	(void)state;
	write_list("virtio\n");
	snprintf(text, sizeof(text), STRATO "file=%s,type=scopes", list);
	parse(text);
	assert_int_equal(c.rules.count, 2);
	assert_rule(0, "*", RULE_SCOPES);
	assert_rule(1, "/virtio/", RULE_ALL);
	parse(STRATO "type=all,enable=-usb");
	assert_rule(0, "*", RULE_ALL);
	assert_false(c.rules.items[1].on);
	parse(STRATO "type=all,type=events,backend=log");
	assert_int_equal(c.rules.count, 1);
	assert_rule(0, "*", RULE_EVENTS);
	assert_int_equal(c.rules.items[0].backends, WAYMARK_LOG);
}

static void patterns_are_expressions(void **state)
{
	(void)state;
	parse(STRATO "virtio,enable=^usb_.*d$,log.file=f,buffer=2M");
	assert_rule(0, "/virtio/", RULE_ALL);
	assert_rule(1, "/^usb_.*d$/", RULE_ALL);
	assert_string_equal(c.log_file, "f");
	assert_int_equal(c.buffer, 2u << 20);
	parse(STRATO "x{1,,2},help");
	assert_rule(0, "/x{1,2}/", RULE_ALL);
	assert_true(c.help);
	refuse(STRATO "virtio*,enable=*", "regular expression '*': '*' has nothing to repeat");
	refuse(STRATO "a,b", "Invalid parameter 'b'; a further pattern is written enable=b");
}

static void monitor_speaks_the_same_unless_told(void **state)
{
	(void)state;
	parse(STRATO "control=on");
	assert_string_equal(c.monitor.mode, "stratovirt");
	parse(STRATO "control=on,control-mode=qmp");
	assert_string_equal(c.monitor.mode, "qmp");
	parse(STRATO "type=all");
	assert_null(c.monitor.mode);
	parse("control=on");
	assert_null(c.monitor.mode);
}

static void errors_of_theirs_are_errors(void **state)
{
	(void)state;
	refuse(STRATO "type=xxxxx", "type=: 'xxxxx' is not one of all, events, scopes");
	refuse(STRATO "file", "'file' needs a value: file=FILE; an expression of that text is "
			      "written enable=file");
	refuse(STRATO "events", "'events' needs a value: events=FILE");
	refuse(STRATO "type", "'type' needs a value: type=all, events or scopes");
	refuse(STRATO "file=", "file= needs the name of a file");
	refuse(STRATO "fil=x", "Invalid parameter 'fil'; did you mean 'file='?");
	refuse(STRATO "event=x", "did you mean 'events='?");
	refuse(STRATO "bogus=x",
		"there are dialect=, enable=, type=, events=, file=, backend=, ctf.file=");
	refuse(STRATO "file=/no/list", "file=: /no/list: No such file or directory");
	refuse(STRATO "enable=", "regular expression '': it is empty");
}

static int parse_lines(const char *text, size_t len)
{
	char *copy = malloc(len ? len : 1);

	waymark_rules_fini(&rules);
	memcpy(copy, text, len);
	int result = waymark_regex_file_parse(&rules, "list", copy, len, &error);

	free(copy);
	return result;
}

static void lines_of_a_list_are_expressions(void **state)
{
	static const char text[] = "# all\r\n\r\n \t \n\nvirtio\r\n  ^usb_.*$ \t\n\r\n#x\nlast";
	static const char *const patterns[] = { "/virtio/", "/^usb_.*$/", "/last/" };

	(void)state;
	assert_int_equal(parse_lines(text, strlen(text)), 0);
	assert_int_equal(rules.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(rules.items[i].pattern, patterns[i]);
		assert_true(rules.items[i].on);
	}
	assert_int_equal(parse_lines("\r", 1), 0);
	assert_int_equal(rules.count, 0);
}

static void wrong_line_is_named(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} bad[] = {
		{ "a\n\n(b\n", "list:3: regular expression '/(b/': Unmatched ( or \\(" },
		{ "a\n*\n", "list:2: regular expression '*': '*' has nothing" },
		{ "-a\n", "list:1: '-a': no name has a '-', and a list of this dialect only" },
		{ "a\x1b[2J\n",
			"list:1: regular expression 'a\\x1b[2J': no name of an event has the byte 0x1b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse_lines(bad[i].text, strlen(bad[i].text)), -1);
		if (!strstr(error.text, bad[i].why)) {
			fail_msg("'%s' does not contain '%s'", error.text, bad[i].why);
		}
	}
	assert_int_equal(parse_lines("a\0b", 3), -1);
	assert_string_equal(error.text, "list:1: a NUL byte: this is not a list of events");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(nothing_is_guessed_from_the_syntax, teardown),
		cmocka_unit_test_teardown(dialect_is_the_first_key, teardown),
		cmocka_unit_test_teardown(file_and_events_name_lists, teardown),
		cmocka_unit_test_teardown(type_is_the_first_to_take_effect, teardown),
		cmocka_unit_test_teardown(patterns_are_expressions, teardown),
		cmocka_unit_test_teardown(monitor_speaks_the_same_unless_told, teardown),
		cmocka_unit_test_teardown(errors_of_theirs_are_errors, teardown),
		cmocka_unit_test_teardown(lines_of_a_list_are_expressions, teardown),
		cmocka_unit_test_teardown(wrong_line_is_named, teardown),
	};
	int fd = mkstemp(list);

	if (fd < 0) {
		return 1;
	}
	close(fd);
	int result = cmocka_run_group_tests_name("StratoVirt's dialect", tests, NULL, NULL);

	unlink(list);
	return result;
}
