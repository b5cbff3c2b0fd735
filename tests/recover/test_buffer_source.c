/* SPDX-License-Identifier: MIT */
/* Readers of buffer files: valid ones, ones of a live process, and all kinds of damage. */
#include "buffer_fixture.h"

#include "format/ctf_clock.h"

static void packets_come_sorted_and_once_each(void **state)
{
	struct fixture *f = *state;
	const struct buffer_packet *p;
	struct packet_header h = made_packet(2, 5, 104);

	put_buffer_header(f);
	put_packet(f, 8, &h);
	h = made_packet(1, 7, 4000);
	put_packet(f, 9, &h);
	h = made_packet(1, 6, 96);
	put_packet(f, 4095, &h);
	h = made_packet(1, 6, 88);
	put_packet(f, 2000, &h);
	assert_int_equal(open_buffer(f), 0);
	assert_int_equal(scan(f, &p), 3);
	assert_int_equal(p[0].header.sequence, 6);
	assert_int_equal(p[0].content_bytes, 96);
	assert_int_equal(p[0].offset, 4095 * BUFFER_UNIT);
	assert_int_equal(p[1].header.sequence, 7);
	assert_int_equal(p[2].header.stream_instance_id, 2);
}

static void the_inside_of_a_large_packet_is_not_looked_at(void **state)
{
	struct fixture *f = *state;
	const struct buffer_packet *p;
	struct packet_header h = made_packet(1, 1, 900000);

	put_buffer_header(f);
	h.packet_size = 8 * 16 * BUFFER_UNIT;
	put_packet(f, 16, &h);
	h = made_packet(1, 2, 88);
	put_packet(f, 20, &h);
	put_packet(f, 32, &h);
	assert_int_equal(open_buffer(f), 0);
	assert_int_equal(scan(f, &p), 2);
	assert_int_equal(p[1].offset, 32 * BUFFER_UNIT);
}

static void reading_gives_no_memory_to_holes(void **state)
{
	struct fixture *f = *state;
	const struct buffer_packet *p;
	struct packet_header h = made_packet(1, 1, 200);
	struct stat before;
	struct stat after;

	put_buffer_header(f);
	put_packet(f, 4000, &h);
	/* A page inside a unit whose header is a hole. */
	put_at(f, "x", 1, 100 * BUFFER_UNIT + 9000);
	fstat(f->fd, &before);
	assert_int_equal(open_buffer(f), 0);
	assert_int_equal(scan(f, &p), 1);
	buffer_source_counts(f->source, 16384);
	fstat(f->fd, &after);
	assert_int_equal(after.st_blocks, before.st_blocks);
}

static void a_copy_has_the_published_content(void **state)
{
	struct fixture *f = *state;
	const struct buffer_packet *p;
	struct buffer_stream entry = { .lost = 9, .evicted = { 100 } };
	struct packet_header h = made_packet(3, 200, 1000);
	unsigned char copy[1000];
	const struct packet_header *header = (const void *)copy;

	h.events_discarded = 4;
	put_buffer_header(f);
	put_at(f, &entry, sizeof(entry), f->header.streams_offset + 2 * sizeof(entry));
	put_packet(f, 10, &h);
	assert_int_equal(open_buffer(f), 0);
	assert_int_equal(buffer_source_counts(f->source, 3).lost, 9);
	assert_int_equal(buffer_source_counts(f->source, 2).lost, 0);
	assert_int_equal(buffer_source_counts(f->source, 0).lost, 0);
	assert_int_equal(buffer_source_counts(f->source, UINT64_MAX).lost, 0);
	assert_int_equal(scan(f, &p), 1);
	assert_int_equal(p->header.events_discarded, 104);
	/* The process continues: the reader gets the events that were published when it scanned. */
	h.content_size += 800;
	put_packet(f, 10, &h);
	assert_true(buffer_source_copy(f->source, p, copy));
	assert_int_equal(header->content_size, 8000);
	assert_int_equal(header->events_discarded, 104);
	assert_int_equal(copy[88], 200);
	assert_int_equal(copy[999], 200);
}

static void a_recycled_packet_is_not_believed(void **state)
{
	struct fixture *f = *state;
	const struct buffer_packet *p;
	struct packet_header h = made_packet(3, 1, 1000);
	unsigned char copy[1000];

	put_buffer_header(f);
	put_packet(f, 10, &h);
	assert_int_equal(open_buffer(f), 0);
	assert_int_equal(scan(f, &p), 1);
	h = made_packet(3, 2, 1000);
	put_packet(f, 10, &h);
	assert_false(buffer_source_copy(f->source, p, copy));
}

static void a_process_lives_while_it_holds_its_lock(void **state)
{
	struct fixture *f = *state;

	put_buffer_header(f);
	assert_int_equal(open_buffer(f), 0);
	assert_false(buffer_source_is_live(f->source));
	assert_int_equal(flock(f->fd, LOCK_SH), 0);
	assert_true(buffer_source_is_live(f->source));
	assert_int_equal(buffer_source_lock(f->source), EWOULDBLOCK);
	flock(f->fd, LOCK_UN);
	assert_int_equal(buffer_source_lock(f->source), 0);
	assert_int_equal(flock(f->fd, LOCK_SH | LOCK_NB), -1);
	assert_int_equal(open_buffer(f), 0);
	unlink(f->path);
	assert_int_equal(buffer_source_lock(f->source), ENOENT);
}

/* Returns nanoseconds since 1970. */
static uint64_t ns_of(const struct ctf_clock *clock, uint64_t ticks)
{
	return ctf_clock_base(clock) + ctf_clock_span(clock, ticks);
}

static void clocks_are_read_whole_or_not_at_all(void **state)
{
	struct fixture *f = *state;
	struct buffer_clock begin;
	struct buffer_clock now;
	struct ctf_clock clock = { .freq = 5 };

	put_buffer_header(f);
	assert_int_equal(open_buffer(f), 0);
	buffer_source_clock(f->source, &begin, &now);
	assert_int_equal(begin.ticks, 1000);
	assert_true(ctf_clock_from(&clock, &begin, &now));
	assert_int_equal(clock.freq, 2500000000);
	assert_int_equal(ns_of(&clock, 1000), 1700000000000000000);
	/* The process died while it read the clock. */
	f->header.clock_turn = 7;
	put_buffer_header(f);
	buffer_source_clock(f->source, &begin, &now);
	assert_int_equal(now.ticks, begin.ticks);
	assert_false(ctf_clock_from(&clock, &begin, &now));
	assert_int_equal(clock.freq, 2500000000);
}

static void a_clock_of_nanoseconds_is_exact(void **state)
{
	struct buffer_clock begin = { 5000000001, 5000000001, 1700000000123456789 };
	struct buffer_clock now = { 999995000000001, 999995000000001, 1700999990123456789 };
	struct ctf_clock clock;

	(void)state;
	assert_true(ctf_clock_from(&clock, &begin, &now));
	assert_int_equal(clock.freq, 1000000000);
	assert_int_equal(ns_of(&clock, 5000000002), 1700000000123456790);
	/* A day of cycles, on a host whose clock began in 1970. */
	begin = (struct buffer_clock){ UINT64_C(1) << 62, 100, 1 };
	now = (struct buffer_clock){ begin.ticks + UINT64_C(2893123456) * 86400,
		100 + 86400 * CTF_CLOCK_SECOND, 2 };
	assert_true(ctf_clock_from(&clock, &begin, &now));
	assert_in_range(clock.freq, 2893123455, 2893123457);
	assert_int_equal(clock.offset_s, 0);
	now.ticks = UINT64_MAX;
	assert_false(ctf_clock_from(&clock, &begin, &now));
}

static void there_is_none(void **state)
{
	struct fixture *f = *state;
	int error;
	char target[320];
	uint8_t other[16] = { 9 };

	assert_null(buffer_source_open(f->folder, other, &error));
	assert_int_equal(error, ENOENT);
	/* The buffer is found in the trace's own directory, and never through a link. */
	put_buffer_header(f);
	snprintf(target, sizeof(target), "%s/.arena", f->folder);
	assert_int_equal(rename(f->path, target), 0);
	assert_int_equal(open_buffer(f), 0);
	assert_string_equal(buffer_source_path(f->source), target);
	assert_int_equal(symlink(target, f->path), 0);
	assert_int_equal(open_buffer(f), ELOOP);
	unlink(f->path);
	unlink(target);
}

static void assert_refused(struct fixture *f)
{
	put_buffer_header(f);
	assert_int_equal(open_buffer(f), EBADMSG);
}

static void a_damaged_header_is_refused(void **state)
{
	struct fixture *f = *state;
	const struct buffer_file good = f->header;

	assert_int_equal(open_buffer(f), EBADMSG); /* a hole */
	f->header.magic = __builtin_bswap64(good.magic);
	assert_refused(f);
	f->header = good;
	f->header.version++;
	assert_refused(f);
	f->header = good;
	f->header.first_unit = 0;
	assert_refused(f);
	f->header.first_unit = UINT32_MAX;
	assert_refused(f);
	f->header = good;
	memset(f->header.traces[1].directory, 'x', sizeof(f->header.traces[1].directory));
	assert_refused(f);
	f->header = good;
	put_buffer_header(f);
	for (off_t size = 0; size < (off_t)sizeof(f->header); size += 97) {
		assert_int_equal(ftruncate(f->fd, size), 0);
		assert_int_equal(open_buffer(f), EBADMSG);
	}
}

static void offsets_out_of_range_cost_only_what_they_name(void **state)
{
	static const uint64_t offsets[] = { 0, 1, FIXTURE_BYTES - 8, FIXTURE_BYTES, UINT64_MAX,
		UINT64_MAX - 7 };
	struct fixture *f = *state;
	const struct buffer_packet *p;
	struct packet_header h = made_packet(3, 1, 1000);

	put_packet(f, 10, &h);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		f->header.streams_offset = offsets[i];
		f->header.streams = UINT64_MAX;
		f->header.bytes = offsets[i];
		put_buffer_header(f);
		assert_int_equal(open_buffer(f), 0);
		assert_int_equal(buffer_source_counts(f->source, 3).lost, 0);
		assert_int_equal(buffer_source_streams(f->source), 0);
		assert_int_equal(scan(f, &p), 1);
	}
}

static void packets_that_make_no_sense_are_passed_over(void **state)
{
	struct fixture *f = *state;
	const struct buffer_packet *p;
	const struct packet_header good = made_packet(1, 1, 200);
	struct packet_header bad[] = { good, good, good, good, good, good, good, good, good };

	bad[0].magic = 0;
	bad[1].uuid[15] ^= 1;
	bad[2].content_size = 8 * (sizeof(good) - 1);
	bad[3].content_size = UINT64_MAX;
	bad[4].packet_size = UINT64_MAX & ~UINT64_C(7);
	bad[5].content_size = bad[5].packet_size + 8;
	bad[6].stream_instance_id = 0;
	bad[7].sequence = 0;
	bad[8].content_size++;
	put_buffer_header(f);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		put_at(f, &bad[i], sizeof(bad[i]), (8 + i) * BUFFER_UNIT);
	}
	/* A packet that would extend beyond the end of the file. */
	bad[0] = good;
	bad[0].packet_size = 8 * 16 * BUFFER_UNIT;
	put_packet(f, 4090, &bad[0]);
	assert_int_equal(open_buffer(f), 0);
	assert_int_equal(scan(f, &p), 0);
	put_packet(f, 4000, &good);
	assert_int_equal(scan(f, &p), 1);
}

static void a_file_cut_anywhere_gives_what_it_holds(void **state)
{
	struct fixture *f = *state;
	const struct buffer_packet *p;
	unsigned char copy[200];

	put_buffer_header(f);
	for (unsigned int unit = 8; unit < 12; unit++) {
		struct packet_header h = made_packet(1, unit, 200);

		put_packet(f, unit, &h);
	}
	assert_int_equal(ftruncate(f->fd, 12 * BUFFER_UNIT), 0);
	assert_int_equal(open_buffer(f), 0);
	assert_int_equal(scan(f, &p), 4);
	/* Cut while the file is open, down to no bytes. */
	for (off_t size = 12 * (off_t)BUFFER_UNIT; size >= 0; size -= 5000) {
		assert_int_equal(ftruncate(f->fd, size), 0);
		size_t count = scan(f, &p);

		assert_true(count <= 4);
		for (size_t i = 0; i < count; i++) {
			buffer_source_copy(f->source, &p[i], copy);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(packets_come_sorted_and_once_each),
		TEST(the_inside_of_a_large_packet_is_not_looked_at),
		TEST(reading_gives_no_memory_to_holes),
		TEST(a_copy_has_the_published_content),
		TEST(a_recycled_packet_is_not_believed),
		TEST(a_process_lives_while_it_holds_its_lock),
		TEST(clocks_are_read_whole_or_not_at_all),
		TEST(a_clock_of_nanoseconds_is_exact),
		TEST(there_is_none),
		TEST(a_damaged_header_is_refused),
		TEST(offsets_out_of_range_cost_only_what_they_name),
		TEST(packets_that_make_no_sense_are_passed_over),
		TEST(a_file_cut_anywhere_gives_what_it_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
