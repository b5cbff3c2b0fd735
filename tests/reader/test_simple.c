/* SPDX-License-Identifier: MIT */
/* The simpletrace reader on valid traces: every version and byte order. */
#include <fcntl.h>
#include <sys/wait.h>

#include "simple_fixture.h"

static void read_version(struct fixture *f, unsigned int version, bool swap)
{
	f->trace.bytes.count = 0;
	f->trace.swap = swap;
	put_trace(f, version);
	open_all(f);
	assert_int_equal(f->reader->version, version);
	assert_int_equal(f->reader->swap, swap);
	assert_numbers(f, 1000);
	assert_int_equal(f->rec.pid, version == 2 ? 0 : 77);
	assert_text(f, "abc");
	assert_int_equal(next(f), READ_RECORD);
	assert_int_equal(f->rec.kind, RECORD_GAP);
	assert_int_equal(f->rec.gap.lost, 17);
	assert_int_equal(f->rec.ns, 3000);
	assert_int_equal(next(f), READ_END);
	assert_int_equal(next(f), READ_END);
	close_part(f);
}

static void versions_2_to_4_in_both_byte_orders(void **state)
{
	for (unsigned int version = 2; version <= 4; version++) {
		read_version(*state, version, false);
		read_version(*state, version, true);
	}
}

static void version_0_has_six_numbers_and_no_process(void **state)
{
	struct fixture *f = *state;

	for (int swap = 0; swap < 2; swap++) {
		f->trace.bytes.count = 0;
		f->trace.swap = swap;
		put_header(&f->trace, 0);
		put_v0(&f->trace, 2, 5000);
		put_v0(&f->trace, SIMPLE_DROPPED_ID, 0);
		open_all(f);
		assert_false(f->reader->has_pid);
		assert_int_equal(next(f), READ_RECORD);
		assert_string_equal(f->rec.class->name, "text");
		const struct value *v = reader_values(f->reader, &f->rec);

		assert_int_equal(v[0].kind, VALUE_NUMBER);
		assert_int_equal(v[0].number, 100);
		assert_int_equal(v[1].number, 200);
		assert_int_equal(next(f), READ_RECORD);
		assert_int_equal(f->rec.kind, RECORD_GAP);
		assert_int_equal(f->rec.gap.lost, 100);
		assert_int_equal(f->rec.ns, 5000);
		assert_int_equal(next(f), READ_END);
		close_part(f);
	}
}

static void numbers_of_old_versions_count_disabled_and_tcg_events(void **state)
{
	struct fixture *f = *state;

	assert_true(declare(&f->model, "disable never(void) \"\"\n"
				       "tcg guest(TCGv addr, int i) \"i=%d\", \"a=%lx i=%d\"\n"
				       "last(int a) \"%d\"\n"));
	put_header(&f->trace, 3);
	begin_record(&f->trace, 3, 7, 1);
	put64(&f->trace, 9);
	end_record(&f->trace);
	open_all(f);
	assert_int_equal(next(f), READ_RECORD);
	assert_string_equal(f->rec.class->name, "last");
}

static void every_byte_value_passes_through_a_string(void **state)
{
	struct fixture *f = *state;
	unsigned char all[256];

	for (int i = 0; i < 256; i++) {
		all[i] = (unsigned char)i;
	}
	put_header(&f->trace, 3);
	begin_record(&f->trace, 3, 2, 1);
	put32(&f->trace, sizeof(all));
	put_bytes(&f->trace, all, sizeof(all));
	put64(&f->trace, 1);
	end_record(&f->trace);
	open_all(f);
	assert_int_equal(next(f), READ_RECORD);
	const struct value *v = reader_values(f->reader, &f->rec);

	assert_int_equal(v[0].length, sizeof(all));
	assert_memory_equal(v[0].text, all, sizeof(all));
}

static void a_number_that_is_mapped_again_changes_its_name(void **state)
{
	struct fixture *f = *state;
	const uint64_t far = UINT64_C(1) << 40;

	put_header(&f->trace, 4);
	put_mapping(&f->trace, 1, "nothing");
	put_mapping(&f->trace, 1, "numbers");
	put_numbers(f, 4, 5);
	put_mapping(&f->trace, 1, "module_event");
	begin_record(&f->trace, 4, 1, 6);
	end_record(&f->trace);
	put_mapping(&f->trace, far, "nothing");
	put_mapping(&f->trace, far, "far_event");
	begin_record(&f->trace, 4, far, 7);
	end_record(&f->trace);
	open_all(f);
	assert_numbers(f, 5);
	assert_int_equal(next(f), READ_RECORD);
	assert_string_equal(f->rec.class->name, "module_event");
	assert_null(f->rec.class->event);
	assert_int_equal(next(f), READ_RECORD);
	assert_string_equal(f->rec.class->name, "far_event");
	assert_int_equal(f->reader->classes.all.count, 4);
}

static void without_declarations_there_are_names_and_raw_words(void **state)
{
	struct fixture *f = *state;
	const struct reader_options options = { 0 };
	struct read_error error;

	for (unsigned int version = 3; version <= 4; version++) {
		f->trace.bytes.count = 0;
		put_trace(f, version);
		f->fd = bytes_fd(&f->trace, f->trace.bytes.count);
		f->reader = reader_open_fd(f->fd, &options, &error);
		assert_non_null(f->reader);
		assert_int_equal(next(f), READ_RECORD);
		assert_string_equal(f->rec.class->name, version == 4 ? "numbers" : "id:1");
		assert_null(f->rec.class->event);
		assert_int_equal(f->rec.payload_size, 16);
		assert_int_equal(next(f), READ_RECORD);
		close_part(f);
	}
}

static void open_without_header(struct fixture *f)
{
	const struct reader_options options = { .declarations = &f->model, .no_header = true };
	struct read_error error;

	f->fd = bytes_fd(&f->trace, f->trace.bytes.count);
	f->reader = reader_open_fd(f->fd, &options, &error);
	assert_non_null(f->reader);
}

static void without_a_header_records_may_have_type_words_or_not(void **state)
{
	struct fixture *f = *state;

	for (unsigned int version = 3; version <= 4; version++) {
		f->trace.bytes.count = 0;
		put_numbers(f, version, UINT64_C(1) << 40);
		put_text(f, version, "abc");
		open_without_header(f);
		assert_numbers(f, UINT64_C(1) << 40);
		assert_text(f, "abc");
		assert_int_equal(next(f), READ_END);
		close_part(f);
	}
}

/* Writes the trace from a child process, in pieces of one to seven bytes. */
static int slow_pipe(const struct fixture *f, pid_t *child)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	*child = fork();
	if (*child == 0) {
		size_t done = 0;

		for (size_t n = 1; done < f->trace.bytes.count; n = n % 7 + 1) {
			size_t left = f->trace.bytes.count - done;
			ssize_t wrote =
				write(ends[1], f->trace.bytes.items + done, n < left ? n : left);

			done += wrote > 0 ? (size_t)wrote : 0;
		}
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

static void a_pipe_in_small_pieces_reads_like_a_file(void **state)
{
	struct fixture *f = *state;
	const struct reader_options options = { .declarations = &f->model };
	struct read_error error;
	pid_t child;

	put_trace(f, 4);
	f->fd = slow_pipe(f, &child);
	fcntl(f->fd, F_SETFL, O_NONBLOCK);
	f->reader = reader_open_fd(f->fd, &options, &error);
	assert_non_null(f->reader);
	assert_numbers(f, 1000);
	assert_text(f, "abc");
	assert_int_equal(next(f), READ_RECORD);
	assert_int_equal(next(f), READ_END);
	waitpid(child, NULL, 0);
}

static void records_that_cross_the_window_are_whole(void **state)
{
	struct fixture *f = *state;
	const int count = 20000;
	char text[64];

	put_header(&f->trace, 4);
	put_mapping(&f->trace, 2, "text");
	for (int i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%.*s%d", i % 40,
			"........................................", i);
		put_text(f, 4, text);
	}
	open_all(f);
	for (int i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%.*s%d", i % 40,
			"........................................", i);
		assert_text(f, text);
	}
	assert_int_equal(next(f), READ_END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(versions_2_to_4_in_both_byte_orders),
		TEST(version_0_has_six_numbers_and_no_process),
		TEST(numbers_of_old_versions_count_disabled_and_tcg_events),
		TEST(every_byte_value_passes_through_a_string),
		TEST(a_number_that_is_mapped_again_changes_its_name),
		TEST(without_declarations_there_are_names_and_raw_words),
		TEST(without_a_header_records_may_have_type_words_or_not),
		TEST(a_pipe_in_small_pieces_reads_like_a_file),
		TEST(records_that_cross_the_window_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
