/* SPDX-License-Identifier: MIT */
/*
 * waymark/reader.h as a separate program uses it: linked with only the shared library. Runs in a
 * folder of make_traces.py's traces.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <waymark/reader.h>

static struct waymark_reader *open_trace(const char *path)
{
	char error[256] = "";
	struct waymark_reader *r = waymark_reader_open(path, "trace-events", error, sizeof(error));

	if (!r) {
		fail_msg("%s: %s", path, error);
	}
	return r;
}

static void check_first_event(struct waymark_reader *r)
{
	size_t length;

	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_EVENT);
	assert_string_equal(waymark_reader_name(r), "blk_open");
	assert_int_equal(waymark_reader_time(r), 4242000000000);
	assert_int_equal(waymark_reader_pid(r), 77);
	assert_int_equal(waymark_reader_tid(r), 0);
	assert_int_equal(waymark_reader_lost(r), 0);
	assert_int_equal(waymark_reader_field_count(r), 2);
	assert_string_equal(waymark_reader_field_name(r, 0), "path");
	assert_string_equal(waymark_reader_field_type(r, 0), "const char *");
	assert_int_equal(waymark_reader_field_kind(r, 0), WAYMARK_FIELD_STRING);
	assert_int_equal(waymark_reader_field_kind(r, 1), WAYMARK_FIELD_SIGNED);
	assert_memory_equal(waymark_reader_string(r, 0, &length), "/srv/disk.img", 13);
	assert_int_equal(length, 13);
	assert_int_equal(waymark_reader_u64(r, 0), 0);
	assert_int_equal(waymark_reader_u64(r, 1), 2);
	assert_int_equal(waymark_reader_field_find(r, "flags"), 1);
	assert_int_equal(waymark_reader_field_find(r, "nothing"), -1);
	assert_string_equal(waymark_reader_message(r, &length), "path /srv/disk.img flags 0x2");
	assert_int_equal(length, strlen("path /srv/disk.img flags 0x2"));
}

static void events_have_names_fields_and_messages(void **state)
{
	struct waymark_reader *r = open_trace("v4");
	const char *name;

	(void)state;
	check_first_event(r);
	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_EVENT);
	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_EVENT);
	name = waymark_reader_name(r);
	assert_string_equal(name, "blk_done");
	assert_int_equal(waymark_reader_field_kind(r, 0), WAYMARK_FIELD_POINTER);
	assert_int_equal(waymark_reader_i64(r, 1), -5);
	size_t index = waymark_reader_event_index(r);

	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_EVENT);
	assert_ptr_equal(waymark_reader_name(r), name);
	assert_int_equal(waymark_reader_event_index(r), index);
	waymark_reader_close(r);
}

static void a_gap_has_a_count_and_nothing_else(void **state)
{
	struct waymark_reader *r = open_trace("v4");
	size_t length;

	(void)state;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(waymark_reader_next(r), WAYMARK_READ_EVENT);
	}
	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_GAP);
	assert_int_equal(waymark_reader_lost(r), 17);
	assert_int_equal(waymark_reader_time(r), 4243000000500);
	assert_string_equal(waymark_reader_name(r), "");
	assert_true(waymark_reader_event_index(r) == SIZE_MAX);
	assert_int_equal(waymark_reader_field_count(r), 0);
	assert_string_equal(waymark_reader_message(r, NULL), "");
	assert_int_equal(waymark_reader_u64(r, 0), 0);
	assert_null(waymark_reader_field_name(r, 0));
	assert_null(waymark_reader_field_type(r, 0));
	assert_int_equal(waymark_reader_field_kind(r, 0), -1);
	assert_null(waymark_reader_string(r, 0, &length));
	waymark_reader_close(r);
}

static void an_index_that_no_field_has_is_harmless(void **state)
{
	struct waymark_reader *r = open_trace("v4");
	size_t length = 1;

	(void)state;
	check_first_event(r);
	assert_int_equal(waymark_reader_u64(r, 2), 0);
	assert_int_equal(waymark_reader_i64(r, SIZE_MAX), 0);
	assert_null(waymark_reader_string(r, 2, &length));
	assert_int_equal(length, 0);
	assert_null(waymark_reader_string(r, 1, &length));
	waymark_reader_close(r);
}

static void numbers_have_their_declared_type(void **state)
{
	struct waymark_reader *r = open_trace("v4");

	(void)state;
	while (waymark_reader_next(r) > 0 && strcmp(waymark_reader_name(r), "blk_plain") != 0) {
	}
	assert_int_equal(waymark_reader_i64(r, 0), -3);
	assert_int_equal(waymark_reader_u64(r, 1), 0xfff0);
	waymark_reader_close(r);
}

static void problems_and_damage_come_with_an_error(void **state)
{
	struct waymark_reader *r = open_trace("lying-lengths");

	(void)state;
	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_EVENT);
	assert_string_equal(waymark_reader_error(r), "");
	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_PROBLEM);
	assert_non_null(strstr(waymark_reader_error(r), "blk_read"));
	assert_string_equal(waymark_reader_name(r), "");
	assert_int_equal(waymark_reader_time(r), 0);
	waymark_reader_close(r);
	r = open_trace("truncated");
	while (waymark_reader_next(r) > 0) {
	}
	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_DAMAGED);
	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_DAMAGED);
	assert_non_null(strstr(waymark_reader_error(r), "byte"));
	waymark_reader_close(r);
}

static void without_declarations_there_are_no_fields(void **state)
{
	char error[8];
	struct waymark_reader *r = waymark_reader_open("v4", NULL, error, sizeof(error));

	(void)state;
	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_EVENT);
	assert_string_equal(waymark_reader_name(r), "blk_open");
	assert_int_equal(waymark_reader_field_count(r), 0);
	assert_int_equal(waymark_reader_next(r), WAYMARK_READ_EVENT);
	assert_string_equal(waymark_reader_message(r, NULL), "0x1000 0x200");
	waymark_reader_close(r);
}

static void a_descriptor_stays_open(void **state)
{
	int fd = open("v4", O_RDONLY);
	struct waymark_reader *r = waymark_reader_open_fd(fd, "trace-events", NULL, 0);

	(void)state;
	assert_non_null(r);
	check_first_event(r);
	waymark_reader_close(r);
	assert_int_equal(close(fd), 0);
}

/* A file with many faults: one line, not as many faults as fit into the message. */
static void declarations_give_their_first_fault(void **state)
{
	char error[512];
	FILE *file = fopen("faulty-events", "w");

	(void)state;
	assert_non_null(file);
	for (int i = 0; i < 50; i++) {
		fputs("no_arguments\n", file);
	}
	assert_int_equal(fclose(file), 0);
	assert_null(waymark_reader_open("v4", "faulty-events", error, sizeof(error)));
	assert_string_equal(
		error, "faulty-events:1:13: error: the event 'no_arguments' has no argument list");
	assert_null(waymark_reader_open("trace-events", "v4", error, sizeof(error)));
	assert_non_null(strstr(error, "v4: this is a trace: are trace and declarations swapped?"));
	assert_null(strchr(error, '\n'));
}

static void failures_to_open_say_why(void **state)
{
	char error[512];
	char small[8];

	(void)state;
	assert_null(waymark_reader_open("nothing-here", NULL, error, sizeof(error)));
	assert_non_null(strstr(error, "No such file"));
	assert_null(waymark_reader_open("v4", "nothing-here", error, sizeof(error)));
	assert_non_null(strstr(error, "nothing-here: No such file"));
	assert_null(waymark_reader_open("text", NULL, small, sizeof(small)));
	assert_string_equal(small, "not a t");
	assert_null(waymark_reader_open("empty", NULL, NULL, 0));
	waymark_reader_close(NULL);
}

static struct waymark_reader *open_where(const char *path, const char *where, char error[512])
{
	const struct waymark_reader_options options = {
		.size = sizeof(options), .declarations = "trace-events", .where = where
	};

	return waymark_reader_open_with(&path, 1, &options, error, 512);
}

static void an_expression_selects_events_and_gaps_remain(void **state)
{
	char error[512] = "";
	struct waymark_reader *r = open_where("v4", "ret < 0 || bytes == 512", error);
	unsigned int gaps = 0;
	char names[64] = "";
	int what;

	(void)state;
	assert_non_null(r);
	while ((what = waymark_reader_next(r)) > 0) {
		gaps += what == WAYMARK_READ_GAP;
		strcat(strcat(names, waymark_reader_name(r)), " ");
	}
	assert_int_equal(what, WAYMARK_READ_END);
	assert_int_equal(gaps, 2);
	assert_string_equal(names, "blk_read blk_done   ");
	waymark_reader_close(r);
}

static void a_wrong_expression_says_where(void **state)
{
	char error[512];

	(void)state;
	assert_null(open_where("v4", "ret < ", error));
	assert_string_equal(
		error, "where, byte 6: the expression ends where an operand is expected");
}

/* A program that was built before the last option was added. */
static void seeks_keep_names_and_no_files(void **state)
{
	struct waymark_reader *r = open_trace("v4");
	const char *name;
	const char *type = NULL;
	int fd;

	(void)state;
	check_first_event(r);
	name = waymark_reader_name(r);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(waymark_reader_seek(r, 0), 0);
		assert_int_equal(waymark_reader_time(r), 0);
		check_first_event(r);
		assert_ptr_equal(waymark_reader_name(r), name);
		type = i == 0 ? waymark_reader_field_type(r, 0) : type;
	}
	assert_string_equal(name, "blk_open");
	assert_string_equal(type, "const char *");
	fd = dup(0);
	assert_in_range(fd, 0, 50);
	close(fd);
	waymark_reader_close(r);
}

static void fewer_options_are_accepted(void **state)
{
	const char *path = "v4";
	struct waymark_reader_options options = { .declarations = "trace-events" };
	char error[512];

	(void)state;
	options.size = offsetof(struct waymark_reader_options, where);
	options.where = "not an expression (";
	struct waymark_reader *r = waymark_reader_open_with(&path, 1, &options, error, 512);

	assert_non_null(r);
	check_first_event(r);
	waymark_reader_close(r);
	options.size = sizeof(options) + 8;
	assert_null(waymark_reader_open_with(&path, 1, &options, error, 512));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_have_names_fields_and_messages),
		cmocka_unit_test(a_gap_has_a_count_and_nothing_else),
		cmocka_unit_test(an_index_that_no_field_has_is_harmless),
		cmocka_unit_test(numbers_have_their_declared_type),
		cmocka_unit_test(problems_and_damage_come_with_an_error),
		cmocka_unit_test(without_declarations_there_are_no_fields),
		cmocka_unit_test(a_descriptor_stays_open),
		cmocka_unit_test(declarations_give_their_first_fault),
		cmocka_unit_test(failures_to_open_say_why),
		cmocka_unit_test(an_expression_selects_events_and_gaps_remain),
		cmocka_unit_test(a_wrong_expression_says_where),
		cmocka_unit_test(seeks_keep_names_and_no_files),
		cmocka_unit_test(fewer_options_are_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
