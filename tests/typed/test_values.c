/* SPDX-License-Identifier: MIT */
/*
 * Checks values of Rust's types with waymark/reader.h: test_values TRACE, recorded by fire.c. With
 * DECLARATIONS as second argument it counts the events of a trace that needs them.
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <waymark/reader.h>

static const char *trace;

/* Opens a reader at the `n`th event of that name, counted from 1. */
static struct waymark_reader *open_at(const char *name, int n)
{
	char error[256] = "";
	struct waymark_reader *r = waymark_reader_open(trace, NULL, error, sizeof(error));

	if (!r) {
		fail_msg("%s: %s", trace, error);
	}
	while (n > 0) {
		assert_int_equal(waymark_reader_next(r), WAYMARK_READ_EVENT);
		n -= strcmp(waymark_reader_name(r), name) == 0;
	}
	return r;
}

static void assert_text(struct waymark_reader *r, size_t field, const char *wanted)
{
	size_t length;
	const char *text = waymark_reader_string(r, field, &length);

	assert_non_null(text);
	assert_int_equal(length, strlen(wanted));
	assert_memory_equal(text, wanted, length);
}

static void floats_are_doubles(void **state)
{
	struct waymark_reader *r = open_at("t_floats", 1);

	(void)state;
	assert_int_equal(waymark_reader_field_kind(r, 0), WAYMARK_FIELD_FLOAT);
	assert_string_equal(waymark_reader_field_type(r, 0), "f32");
	assert_true(waymark_reader_double(r, 0) == (double)0.1f);
	assert_true(waymark_reader_double(r, 1) == 1e21);
	assert_true(waymark_reader_u64(r, 1) == UINT64_MAX); /* the nearest possible value */
	assert_int_equal(waymark_reader_u64(r, 2), 2);
	assert_int_equal(waymark_reader_i64(r, 3), 1500);
	waymark_reader_close(r);
	r = open_at("t_floats", 2);
	assert_true(isinf(waymark_reader_double(r, 0)));
	assert_true(waymark_reader_i64(r, 0) == INT64_MIN);
	assert_true(isnan(waymark_reader_double(r, 1)));
	assert_int_equal(waymark_reader_u64(r, 1), 0);
	assert_true(signbit(waymark_reader_double(r, 2)));
	waymark_reader_close(r);
}

static void wide_integers_have_two_halves(void **state)
{
	struct waymark_reader *r = open_at("t_wide", 1);

	(void)state;
	assert_int_equal(waymark_reader_field_kind(r, 0), WAYMARK_FIELD_UNSIGNED);
	assert_int_equal(waymark_reader_field_kind(r, 1), WAYMARK_FIELD_SIGNED);
	assert_true(waymark_reader_u64(r, 1) == UINT64_C(0x3456789abcdef001));
	assert_true(waymark_reader_high64(r, 1) == 0x12);
	assert_true(waymark_reader_double(r, 0) == 0x1p128);
	assert_int_equal(waymark_reader_i64(r, 2), -7);
	assert_true(waymark_reader_high64(r, 2) == UINT64_MAX);
	assert_true(waymark_reader_double(r, 2) == -7);
	waymark_reader_close(r);
	r = open_at("t_ints", 1);
	assert_true(waymark_reader_high64(r, 0) == 0);
	assert_true(waymark_reader_high64(r, 1) == UINT64_MAX);
	assert_true(waymark_reader_double(r, 1) == -5);
	waymark_reader_close(r);
}

static void text_and_bytes_are_what_was_there(void **state)
{
	struct waymark_reader *r = open_at("t_text", 2);

	(void)state;
	assert_int_equal(waymark_reader_field_kind(r, 0), WAYMARK_FIELD_STRING);
	assert_text(r, 0, "cut");
	assert_text(r, 2, "");
	waymark_reader_close(r);
	r = open_at("t_bytes", 1);
	size_t length;

	assert_int_equal(waymark_reader_field_kind(r, 0), WAYMARK_FIELD_BYTES);
	assert_memory_equal(waymark_reader_string(r, 0, &length), "\0\n\xff", 3);
	assert_int_equal(length, 3);
	assert_int_equal(waymark_reader_u64(r, 0), 0);
	waymark_reader_close(r);
}

static void debug_values_are_numbers_and_text(void **state)
{
	struct waymark_reader *r = open_at("t_debug", 1);

	(void)state;
	assert_int_equal(waymark_reader_field_kind(r, 0), WAYMARK_FIELD_DEBUG);
	assert_int_equal(waymark_reader_u64(r, 0), 255);
	assert_text(r, 0, "255");
	assert_int_equal(waymark_reader_i64(r, 1), -2);
	assert_text(r, 2, "true");
	waymark_reader_close(r);
	r = open_at("t_debug", 2);
	assert_text(r, 0, "'A'");
	assert_text(r, 2, "\"a \\\"b\\\"\"");
	waymark_reader_close(r);
	r = open_at("t_debug", 3);
	assert_true(waymark_reader_high64(r, 0) == 1);
	assert_true(waymark_reader_double(r, 1) == -1);
	assert_text(r, 2, "[1, 2]");
	waymark_reader_close(r);
	r = open_at("t_debug", 4);
	assert_true(waymark_reader_double(r, 1) == 0.25);
	assert_int_equal(waymark_reader_u64(r, 2), 0x7f00);
	waymark_reader_close(r);
}

/* More than any event has: fields that it does not have are columns, too. */
#define FIELDS 16

/* The arrays of a batch of one event. */
static uint64_t integers[FIELDS];
static double doubles[FIELDS];
static const char *texts[FIELDS];
static size_t lengths[FIELDS];

/* Compares a column of a batch with the field of the same event, at which `r` is. */
static void compare_column(struct waymark_reader *r, size_t field)
{
	double wanted = waymark_reader_double(r, field);
	size_t length;
	const char *text = waymark_reader_string(r, field, &length);

	assert_true(integers[field] == waymark_reader_u64(r, field));
	assert_true(doubles[field] == wanted || (isnan(doubles[field]) && isnan(wanted)));
	if (waymark_reader_field_kind(r, field) == WAYMARK_FIELD_DEBUG) {
		return; /* the text of {:?} is not in batches */
	}
	assert_true(!text == !texts[field]);
	assert_int_equal(lengths[field], length);
	assert_true(length == 0 || memcmp(text, texts[field], length) == 0);
}

static void columns_are_what_single_values_are(void **state)
{
	struct waymark_reader *r = open_at("", 0);
	struct waymark_reader *batches = open_at("", 0);
	struct waymark_column columns[FIELDS];
	const struct waymark_columns to = { columns, FIELDS, 1 };
	size_t filled;
	int count = 0;

	(void)state;
	for (size_t i = 0; i < FIELDS; i++) {
		columns[i] = (struct waymark_column){ (int)i, &integers[i], &doubles[i], &texts[i],
			&lengths[i] };
	}
	for (; waymark_reader_next(r) == WAYMARK_READ_EVENT; count++) {
		size_t event = waymark_reader_event_index(r);

		assert_int_equal(
			waymark_reader_columns(batches, event, &to, &filled), WAYMARK_READ_EVENT);
		assert_int_equal(filled, 1);
		for (size_t i = 0; i < FIELDS; i++) {
			compare_column(r, i);
		}
	}
	assert_true(count > 10);
	waymark_reader_close(batches);
	waymark_reader_close(r);
}

static void columns_that_no_event_has_are_empty(void **state)
{
	static const int fields[] = { 99, 65536, INT_MAX, -5, INT_MIN };
	struct waymark_reader *r = open_at("", 0);
	size_t filled;

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t alone = 1;
		uint64_t integer = 1;
		double number = 1;
		size_t length = 1;
		const char *text = "";
		const struct waymark_column columns[] = {
			{ .field = fields[i], .integers = &alone },
			{ fields[i], &integer, &number, &text, &length },
		};
		const struct waymark_columns to = { columns, 2, 1 };

		assert_int_equal(waymark_reader_columns(r, 0, &to, &filled), WAYMARK_READ_EVENT);
		assert_int_equal(alone, 0);
		assert_int_equal(integer, 0);
		assert_true(number == 0);
		assert_null(text);
		assert_int_equal(length, 0);
		assert_int_equal(waymark_reader_seek(r, 0), 0);
	}
	waymark_reader_close(r);
}

static void messages_are_those_of_rust(void **state)
{
	struct waymark_reader *r = open_at("t_bytes", 1);

	(void)state;
	assert_string_equal(waymark_reader_message(r, NULL), "[0, 10, 255] [00, 0a, ff]...");
	waymark_reader_close(r);
}

/* Returns the number of events that can be read with separate declarations. */
static int count_events(const char *declarations)
{
	char error[256] = "";
	struct waymark_reader *r = waymark_reader_open(trace, declarations, error, sizeof(error));
	int count = 0;

	if (!r) {
		fprintf(stderr, "%s: %s\n", trace, error);
		return 1;
	}
	while (waymark_reader_next(r) == WAYMARK_READ_EVENT) {
		count++;
	}
	waymark_reader_close(r);
	printf("%d events\n", count);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floats_are_doubles),
		cmocka_unit_test(wide_integers_have_two_halves),
		cmocka_unit_test(text_and_bytes_are_what_was_there),
		cmocka_unit_test(debug_values_are_numbers_and_text),
		cmocka_unit_test(columns_are_what_single_values_are),
		cmocka_unit_test(columns_that_no_event_has_are_empty),
		cmocka_unit_test(messages_are_those_of_rust),
	};

	trace = argc > 1 ? argv[1] : "";
	if (argc > 2) {
		return count_events(argv[2]);
	}
	return cmocka_run_group_tests_name("typed values by the API", tests, NULL, NULL);
}
