/* SPDX-License-Identifier: MIT */
/* A buffer whose process changes to another trace, read at each step of the change. */
#include "buffer_fixture.h"

static const uint8_t next_uuid[16] = { 0xa1, 2, 3, 4, 9, 9, 9, 9, 8, 8, 8, 8, 7, 7, 7, 7 };

/* The process's steps of changing to another trace: before the rename, or including it. */
static void take_over(struct fixture *f, bool renamed, bool told, char path[320])
{
	struct buffer_trace *next = &f->header.traces[1];

	memcpy(next->uuid, next_uuid, sizeof(next_uuid));
	strcpy(next->directory, "/next");
	f->header.turn = told;
	put_buffer_header(f);
	snprintf(path, 320, "%s/waymark-a1020304090909090808080807070707", f->folder);
	if (renamed) {
		assert_int_equal(rename(f->path, path), 0);
	}
}

static size_t packets_of(struct fixture *f, const uint8_t uuid[16])
{
	const struct buffer_packet *p;
	int error;

	buffer_source_close(f->source);
	f->source = buffer_source_open(f->folder, uuid, &error);
	assert_true(f->source || error == ENOENT);
	return f->source ? scan(f, &p) : 0;
}

static void the_name_says_which_trace_has_what_is_left(void **state)
{
	struct fixture *f = *state;
	struct packet_header h = made_packet(3, 1, 1000);
	struct packet_header second = made_packet(3, 2, 1000);
	struct packet_header foreign = made_packet(3, 3, 1000);
	char path[320];

	memcpy(foreign.uuid, next_uuid, sizeof(next_uuid)); /* only in files */
	put_packet(f, 10, &h);
	put_packet(f, 11, &second);
	put_packet(f, 12, &foreign);
	take_over(f, false, false, path);
	assert_int_equal(packets_of(f, fixture_uuid), 2);
	assert_int_equal(packets_of(f, next_uuid), 0);
	take_over(f, true, false, path);
	for (int told = 0; told < 2; told++) {
		unsigned char copy[1000];
		const struct buffer_packet *p;

		f->header.turn = (uint32_t)told;
		put_buffer_header(f);
		assert_int_equal(packets_of(f, fixture_uuid), 0);
		assert_int_equal(packets_of(f, next_uuid), 2);
		assert_string_equal(buffer_source_trace(f->source)->directory, "/next");
		assert_int_equal(scan(f, &p), 2);
		assert_true(buffer_source_copy(f->source, p, copy));
		assert_memory_equal(((struct packet_header *)(void *)copy)->uuid, next_uuid, 16);
	}
	unlink(path);
}

static void who_has_the_file_open_sees_that_another_trace_has_it(void **state)
{
	struct fixture *f = *state;
	struct packet_header h = made_packet(3, 1, 1000);
	char directory[BUFFER_FILE_PATH_BYTES];
	const struct buffer_packet *p;
	uint8_t uuid[16];
	char path[320];

	put_packet(f, 10, &h);
	put_buffer_header(f);
	assert_int_equal(open_buffer(f), 0);
	assert_int_equal(scan(f, &p), 1);
	struct buffer_packet met = *p;

	assert_true(buffer_source_look_again(f->source, &met));
	assert_false(buffer_source_next_trace(f->source, uuid, directory));
	take_over(f, true, true, path);
	/* The counters of the former trace no longer count what is overwritten before it. */
	assert_false(buffer_source_look_again(f->source, &met));
	assert_int_equal(scan(f, &p), 0);
	assert_true(buffer_source_next_trace(f->source, uuid, directory));
	assert_memory_equal(uuid, next_uuid, 16);
	assert_string_equal(directory, "/next");
	buffer_source_turn(f->source, uuid);
	assert_true(buffer_source_look_again(f->source, &met));
	assert_int_equal(scan(f, &p), 1);
	assert_false(buffer_source_next_trace(f->source, uuid, directory));
	unlink(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_name_says_which_trace_has_what_is_left),
		TEST(who_has_the_file_open_sees_that_another_trace_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
