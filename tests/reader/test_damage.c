/* SPDX-License-Identifier: MIT */
/* The simpletrace reader on invalid traces, with each kind of error. */
#include "simple_fixture.h"

/* Reads the first `n` bytes of a trace; returns the number of complete records. */
static int read_part(struct fixture *f, size_t n, enum read_result *end)
{
	char place[64];
	int records = 0;

	open_part(f, n);
	if (!f->reader) {
		close(f->fd);
		*end = READ_DAMAGED;
		return 0;
	}
	while ((*end = next(f)) == READ_RECORD) {
		records++;
	}
	if (*end == READ_DAMAGED) {
		snprintf(place, sizeof(place), "ends at byte %zu,", n);
		assert_says(f, place);
	}
	close_part(f);
	return records;
}

static bool is_boundary(const size_t *ends, size_t count, size_t n)
{
	for (size_t i = 0; i < count; i++) {
		if (ends[i] == n) {
			return true;
		}
	}
	return false;
}

static void a_trace_cut_at_any_byte_gives_its_whole_part(void **state)
{
	struct fixture *f = *state;
	size_t ends[6];

	put_header(&f->trace, 4);
	ends[0] = f->trace.bytes.count;
	put_mapping(&f->trace, 1, "numbers");
	ends[1] = f->trace.bytes.count;
	put_mapping(&f->trace, 2, "text");
	ends[2] = f->trace.bytes.count;
	put_numbers(f, 4, 1000);
	ends[3] = f->trace.bytes.count;
	put_text(f, 4, "abc");
	ends[4] = f->trace.bytes.count;
	put_gap(f, 4, 3);
	ends[5] = f->trace.bytes.count;
	for (size_t n = 0; n <= ends[5]; n++) {
		enum read_result end;
		int whole = (n >= ends[3]) + (n >= ends[4]) + (n >= ends[5]);

		assert_int_equal(read_part(f, n, &end), whole);
		assert_int_equal(end, is_boundary(ends, 6, n) ? READ_END : READ_DAMAGED);
	}
}

static void a_version_0_trace_cut_at_any_byte_gives_its_whole_part(void **state)
{
	struct fixture *f = *state;

	put_header(&f->trace, 0);
	put_v0(&f->trace, 1, 1);
	put_v0(&f->trace, 2, 2);
	for (size_t n = 0; n <= f->trace.bytes.count; n++) {
		enum read_result end;
		int whole = (n >= 128) + (n >= 192);

		assert_int_equal(read_part(f, n, &end), whole);
		assert_int_equal(end, n >= 64 && n % 64 == 0 ? READ_END : READ_DAMAGED);
	}
}

static void a_record_that_contradicts_its_declaration_costs_only_itself(void **state)
{
	struct fixture *f = *state;

	put_header(&f->trace, 3);
	begin_record(&f->trace, 3, 1, 1);
	put64(&f->trace, 1);
	end_record(&f->trace);
	put_text(f, 3, "good");
	begin_record(&f->trace, 3, 2, 1);
	put32(&f->trace, 1000);
	put_bytes(&f->trace, "short", 5);
	end_record(&f->trace);
	put_numbers(f, 3, 9);
	begin_record(&f->trace, 3, 2, 1);
	put_string(&f->trace, "abc");
	put64(&f->trace, 1);
	put64(&f->trace, 2);
	end_record(&f->trace);
	open_all(f);
	assert_int_equal(next(f), READ_PROBLEM);
	assert_says(f, "'numbers' at byte 24");
	assert_says(f, "8 bytes");
	assert_says(f, "16 bytes");
	assert_text(f, "good");
	assert_int_equal(next(f), READ_PROBLEM);
	assert_says(f, "'text' at byte 96");
	assert_numbers(f, 9);
	assert_int_equal(next(f), READ_PROBLEM);
	assert_int_equal(next(f), READ_END);
}

static void an_impossible_length_ends_reading(void **state)
{
	static const uint32_t lengths[] = { 0, 23, 0x80000000, UINT32_MAX };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		f->trace.bytes.count = 0;
		put_header(&f->trace, 3);
		put_numbers(f, 3, 5);
		put_numbers(f, 3, 6);
		set_length(&f->trace, lengths[i]);
		open_all(f);
		assert_numbers(f, 5);
		assert_int_equal(next(f), READ_DAMAGED);
		assert_says(f, "byte 64");
		assert_int_equal(next(f), READ_DAMAGED);
		close_part(f);
	}
}

static void a_length_behind_the_end_is_a_truncation(void **state)
{
	struct fixture *f = *state;

	put_header(&f->trace, 3);
	put_numbers(f, 3, 5);
	set_length(&f->trace, 1 << 20);
	open_all(f);
	assert_int_equal(next(f), READ_DAMAGED);
	assert_says(f, "truncated: the trace ends at byte 64");
}

static void a_gap_without_a_count_is_a_problem(void **state)
{
	struct fixture *f = *state;

	put_header(&f->trace, 3);
	begin_record(&f->trace, 3, SIMPLE_DROPPED_ID, 1);
	end_record(&f->trace);
	put_numbers(f, 3, 5);
	open_all(f);
	assert_int_equal(next(f), READ_PROBLEM);
	assert_numbers(f, 5);
}

static void an_unknown_number_is_a_problem_with_its_place(void **state)
{
	static const uint64_t ids[] = { 4, 65535, 65536, UINT64_C(1) << 60 };
	struct fixture *f = *state;

	for (unsigned int i = 0; i < 8; i++) {
		unsigned int version = i < 4 ? 3 : 4;
		char number[32];

		f->trace.bytes.count = 0;
		put_header(&f->trace, version);
		begin_record(&f->trace, version, ids[i % 4], 1);
		end_record(&f->trace);
		open_all(f);
		assert_int_equal(next(f), READ_PROBLEM);
		snprintf(number, sizeof(number), "number %" PRIu64, ids[i % 4]);
		assert_says(f, number);
		assert_says(f, "byte 24");
		assert_int_equal(next(f), READ_END);
		close_part(f);
	}
}

static void an_unknown_record_type_ends_reading(void **state)
{
	struct fixture *f = *state;

	put_header(&f->trace, 4);
	put64(&f->trace, 2);
	open_all(f);
	assert_int_equal(next(f), READ_DAMAGED);
	assert_says(f, "type 2");
}

static void a_name_of_impossible_length_ends_reading(void **state)
{
	struct fixture *f = *state;

	put_header(&f->trace, 4);
	put64(&f->trace, SIMPLE_MAPPING);
	put64(&f->trace, 1);
	put32(&f->trace, UINT32_MAX);
	open_all(f);
	assert_int_equal(next(f), READ_DAMAGED);
}

static void control_characters_of_a_name_are_escaped_in_errors(void **state)
{
	struct fixture *f = *state;

	assert_true(declare(&f->model, "x(int a) \"%d\"\n"));
	f->model.events.items[4]->name = "a\033[2J\n";
	put_header(&f->trace, 3);
	begin_record(&f->trace, 3, 4, 1);
	end_record(&f->trace);
	f->model.events.items[4]->args = f->model.events.items[0]->args;
	hash_add(&f->model.by_name, "a\033[2J\n", f->model.events.items[4]);
	open_all(f);
	assert_int_equal(next(f), READ_PROBLEM);
	assert_says(f, "'a\\x1b[2J\\n'");
}

static void expect_no_reader(struct fixture *f, const char *why)
{
	const struct reader_options options = { .declarations = &f->model };
	struct read_error error = { .text = "" };

	f->fd = bytes_fd(&f->trace, f->trace.bytes.count);
	assert_null(reader_open_fd(f->fd, &options, &error));
	if (!strstr(error.text, why)) {
		fail_msg("'%s' does not say '%s'", error.text, why);
	}
	close(f->fd);
	f->fd = -1;
	f->trace.bytes.count = 0;
}

static void what_is_no_trace_is_refused_with_a_reason(void **state)
{
	struct fixture *f = *state;
	const struct reader_options options = { 0 };
	struct read_error error;

	expect_no_reader(f, "empty");
	put_bytes(&f->trace, "hello", 5);
	expect_no_reader(f, "not a trace");
	put64(&f->trace, SIMPLE_HEADER_ID);
	put64(&f->trace, SIMPLE_MAGIC + 1);
	put64(&f->trace, 4);
	expect_no_reader(f, "not a trace");
	put_header(&f->trace, 1);
	expect_no_reader(f, "version 1");
	put_header(&f->trace, 5);
	expect_no_reader(f, "version 5");
	assert_null(reader_open("/", &options, &error));
	assert_non_null(strstr(error.text, "directory"));
	assert_null(reader_open("/nonexistent", &options, &error));
	assert_non_null(strstr(error.text, "No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_trace_cut_at_any_byte_gives_its_whole_part),
		TEST(a_version_0_trace_cut_at_any_byte_gives_its_whole_part),
		TEST(a_record_that_contradicts_its_declaration_costs_only_itself),
		TEST(an_impossible_length_ends_reading),
		TEST(a_length_behind_the_end_is_a_truncation),
		TEST(a_gap_without_a_count_is_a_problem),
		TEST(an_unknown_number_is_a_problem_with_its_place),
		TEST(an_unknown_record_type_ends_reading),
		TEST(a_name_of_impossible_length_ends_reading),
		TEST(control_characters_of_a_name_are_escaped_in_errors),
		TEST(what_is_no_trace_is_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
