/* SPDX-License-Identifier: MIT */
/* The log backend: its lines and its file. */
#include <errno.h>
#include <regex.h>
#include <time.h>

#include "log_fixture.h"

static void assert_matches(const char *text, const char *pattern)
{
	regex_t regex;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&regex, text, 0, NULL, 0) != 0) {
		fail_msg("'%s' does not match '%s'", text, pattern);
	}
	regfree(&regex);
}

static void default_prefix_is_thread_and_time(void **state)
{
	char pattern[100];

	(void)state;
	waymark_configure("log.prefix=default", &error);
	trace_probe(-7);
	snprintf(pattern, sizeof(pattern), "^%d@1[0-9]{9}\\.[0-9]{6}:probe value=-7\n$", getpid());
	assert_matches(content_of(path), pattern);
}

static void iso_prefix_is_utc(void **state)
{
	char today[32];
	char pattern[128];
	time_t now = time(NULL);

	(void)state;
	waymark_configure("log.prefix=iso", &error);
	trace_probe(1);
	strftime(today, sizeof(today), "%Y-%m-%dT%H:%M", gmtime(&now));
	snprintf(pattern, sizeof(pattern), "^[-0-9]{10}T[:0-9]{8}\\.[0-9]{6}Z %d:probe value=1\n$",
		getpid());
	assert_matches(content_of(path), pattern);
	if (time(NULL) / 60 == now / 60) {
		assert_memory_equal(content_of(path), today, strlen(today));
	}
}

static void event_without_a_message_is_its_name(void **state)
{
	(void)state;
	waymark_log(&waymark_event_probe, "%s", "");
	assert_string_equal(content_of(path), "probe\n");
}

static void null_strings_and_control_characters_are_harmless(void **state)
{
	(void)state;
	waymark_log(&waymark_event_probe, " %s %s", waymark_text(NULL), "a\nb\x1b");
	assert_string_equal(content_of(path), "probe (null) a\\nb\\x1b\n");
}

static void long_messages_are_whole_up_to_8_kib(void **state)
{
	char text[9000];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[8000] = '\0';
	waymark_log(&waymark_event_probe, " %s", text);
	assert_int_equal(strlen(content_of(path)), 8000 + strlen("probe \n"));
	unlink(path);
	waymark_set_output("log", path, &error);
	text[8000] = 'x';
	text[8999] = '\0';
	waymark_log(&waymark_event_probe, " %s", text);
	assert_int_equal(strlen(content_of(path)), 8192);
	assert_matches(content_of(path), "x\\.\\.\\.\n$");
}

static void errno_is_kept(void **state)
{
	(void)state;
	errno = EDOM;
	trace_probe(1);
	assert_int_equal(errno, EDOM);
	waymark_set_output("log", "/dev/full", &error);
	errno = EDOM;
	trace_probe(1);
	assert_int_equal(errno, EDOM);
}

static void file_is_appended_to_and_not_inherited(void **state)
{
	(void)state;
	trace_probe(1);
	waymark_set_output("log", NULL, &error);
	waymark_set_output("log", path, &error);
	trace_probe(2);
	assert_string_equal(content_of(path), "probe value=1\nprobe value=2\n");
	char command[400];

	snprintf(command, sizeof(command), "! ls -l /proc/self/fd | grep -q '%s'", path);
	assert_int_equal(system(command), 0);
}

static void file_that_cannot_be_opened_leaves_the_old_one(void **state)
{
	(void)state;
	assert_int_equal(waymark_set_output("log", "/nonexistent/log", &error), -1);
	assert_string_equal(error.text, "/nonexistent/log: No such file or directory");
	assert_int_equal(waymark_set_output("nosuch", path, &error), -1);
	trace_probe(1);
	assert_string_equal(content_of(path), "probe value=1\n");
}

static void log_that_is_off_writes_nothing(void **state)
{
	bool was_on;
	char text[128];

	(void)state;
	assert_int_equal(waymark_set_output_on("log", false, &was_on, &error), 0);
	assert_true(was_on);
	trace_probe(1);
	waymark_get_output_status("log", text, sizeof(text));
	assert_non_null(strstr(text, path));
	assert_non_null(strstr(text, "off"));
	assert_int_equal(waymark_set_output_on("log", true, &was_on, &error), 0);
	assert_false(was_on);
	trace_probe(2);
	assert_string_equal(content_of(path), "probe value=2\n");
	assert_int_equal(waymark_get_output_status("nosuch", text, sizeof(text)), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(default_prefix_is_thread_and_time),
		TEST(iso_prefix_is_utc),
		TEST(event_without_a_message_is_its_name),
		TEST(null_strings_and_control_characters_are_harmless),
		TEST(long_messages_are_whole_up_to_8_kib),
		TEST(errno_is_kept),
		TEST(file_is_appended_to_and_not_inherited),
		TEST(file_that_cannot_be_opened_leaves_the_old_one),
		TEST(log_that_is_off_writes_nothing),
	};

	return cmocka_run_group_tests_name("log", tests, enter_folder, leave_folder);
}
