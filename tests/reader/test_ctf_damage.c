/* SPDX-License-Identifier: MIT */
/*
 * Native traces with one damaged byte each: the reader never crashes, always ends,
 * loses no complete event before the damage, and reports what it could not read. Runs
 * in a folder of make_ctf.py's traces.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/packet.h"
#include "read/reader.h"

#define COPY "damaged"
#define EVENTS 12 /* in the trace `small` */
#define SECOND_PACKET 4096
#define PADDING 0xaa
#define FEW 7
#define PADDING_STEP 97 /* only some of the cuts inside padding are tried */

/* The result of reading a trace to its end. */
struct result {
	bool opened;
	unsigned int events;
	unsigned int gaps;
	unsigned int problems;
	uint64_t strings; /* bytes of all strings, so that every value is read */
	uint64_t classes; /* sum of the numbers of the events' classes, from 1 */
	uint64_t lost; /* by the gaps */
	int64_t first_ns;
	int64_t last_ns;
	uint64_t order; /* depends on every record's time, place and size, and their order */
	char error[512]; /* the last error */
};

struct bytes {
	unsigned char data[65536];
	size_t size;
};

static void load(struct bytes *b, const char *path)
{
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	b->size = fread(b->data, 1, sizeof(b->data), file);
	fclose(file);
	assert_true(b->size < sizeof(b->data));
}

static void store(const struct bytes *b, size_t size, const char *path)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(b->data, 1, size, file), size);
	fclose(file);
}

static void span(struct result *result, int64_t first_ns, int64_t last_ns)
{
	bool is_first = result->first_ns == 0 && result->last_ns == 0;

	result->first_ns = is_first || first_ns < result->first_ns ? first_ns : result->first_ns;
	result->last_ns = is_first || last_ns > result->last_ns ? last_ns : result->last_ns;
}

static void touch(struct result *result, struct reader *r, const struct record *rec)
{
	const struct value *values = reader_values(r, rec);
	const uint64_t told[] = { rec->ns, rec->tid, rec->offset, rec->payload_size,
		rec->class->id };

	result->events++;
	result->classes += rec->class->index + 1;
	span(result, (int64_t)rec->ns, (int64_t)rec->ns);
	for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
		result->order = result->order * 31 + told[i];
	}
	for (size_t i = 0; i < rec->class->event->arg_count; i++) {
		if (values[i].kind == VALUE_STRING) {
			for (size_t k = 0; k < values[i].length; k++) {
				result->strings += (unsigned char)values[i].text[k];
			}
		}
	}
}

/* Takes available records, at most `few` at a time; if `few` is 0, one by one. */
static void take(struct result *result, struct reader *r, size_t few)
{
	struct record records[FEW];
	size_t count = few ? reader_take(r, records, few) : 0;

	assert_true(count <= few);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(records[i].kind, RECORD_EVENT);
		touch(result, r, &records[i]);
	}
}

static void add_tally(struct result *result, const struct record_tally *t)
{
	assert_true(t->events > 0);
	assert_true(t->first_ns <= t->last_ns);
	result->events += (unsigned int)t->events;
	result->classes += t->events * (t->class->index + 1);
	span(result, t->first_ns, t->last_ns);
}

/* Counts the available events, at most `few` runs at a time. */
static void count(struct result *result, struct reader *r, size_t few)
{
	struct record_tally runs[FEW];
	size_t number;

	while ((number = reader_count(r, runs, few))) {
		assert_true(number <= few);
		for (size_t i = 0; i < number; i++) {
			add_tally(result, &runs[i]);
		}
	}
}

static struct result count_by(const char *path, size_t few)
{
	const struct reader_options options = { 0 };
	const struct reader_needs needs = {
		.from_ns = INT64_MIN, .to_ns = INT64_MAX, .any_order = true
	};
	struct result result = { 0 };
	struct read_error error;
	struct reader *r = reader_open(path, &options, &error);
	enum read_result what;
	struct record rec;

	if (!r) {
		return result;
	}
	result.opened = true;
	reader_limit(r, &needs);
	while (count(&result, r, few), (what = reader_next(r, &rec)) != READ_END) {
		if (what == READ_PROBLEM) {
			result.problems++;
		} else if (rec.kind == RECORD_EVENT) {
			touch(&result, r, &rec);
		} else {
			result.gaps++;
			result.lost += losses_events(&rec.gap);
		}
	}
	reader_close(r);
	return result;
}

static struct result read_by(const char *path, size_t few)
{
	const struct reader_options options = { 0 };
	struct result result = { 0 };
	struct read_error error;
	struct reader *r = reader_open(path, &options, &error);
	enum read_result what;
	struct record rec;

	if (!r) {
		strcpy(result.error, error.text);
		assert_string_not_equal(result.error, "");
		return result;
	}
	result.opened = true;
	while (take(&result, r, few), (what = reader_next(r, &rec)) != READ_END) {
		assert_int_not_equal(what, READ_DAMAGED);
		if (what == READ_PROBLEM) {
			result.problems++;
			result.order++;
			strcpy(result.error, r->error.text);
			assert_string_not_equal(result.error, "");
			assert_true(result.problems < 1000);
		} else if (rec.kind == RECORD_EVENT) {
			touch(&result, r, &rec);
		} else {
			result.gaps++;
			result.lost += losses_events(&rec.gap);
		}
	}
	assert_int_equal(reader_next(r, &rec), READ_END);
	reader_close(r);
	return result;
}

static void check_counted(const struct result *counted, const struct result *read)
{
	assert_int_equal(counted->opened, read->opened);
	assert_int_equal(counted->events, read->events);
	assert_int_equal(counted->classes, read->classes);
	assert_int_equal(counted->gaps, read->gaps);
	assert_int_equal(counted->lost, read->lost);
	assert_int_equal(counted->problems, read->problems);
	assert_int_equal(counted->first_ns, read->first_ns);
	assert_int_equal(counted->last_ns, read->last_ns);
}

/* Records taken many at a time, or counted, must equal records that are read one by one. */
static struct result read_trace(const char *path)
{
	const struct result result = read_by(path, 0);

	for (size_t few = 1; few <= FEW; few += FEW - 1) {
		const struct result taken = read_by(path, few);

		assert_int_equal(taken.opened, result.opened);
		assert_int_equal(taken.events, result.events);
		assert_int_equal(taken.gaps, result.gaps);
		assert_int_equal(taken.problems, result.problems);
		assert_int_equal(taken.strings, result.strings);
		assert_int_equal(taken.order, result.order);
		assert_string_equal(taken.error, result.error);

		const struct result counted = count_by(path, few);

		check_counted(&counted, &result);
	}
	return result;
}

static void all_traces_are_counted_as_they_are_read(void **state)
{
	static const char *const names[] = { "small", "small-big-endian", "wrap", "runs", "pieces",
		"many-packets", "notes", "flight", "lost-and-rotated", "out-of-order",
		"unknown-event", "torn", "holes", "lost-behind-damage", "bad-event", "bad-run" };
	unsigned int events = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		events += read_trace(names[i]).events;
	}
	assert_true(events > 1000);
}

/* Copies the trace `small`; the tests change the copy. */
static int copy_trace(void **state)
{
	static const char *const names[] = { "metadata", "stream-3", "stream-4" };
	struct bytes b;
	char path[64];

	(void)state;
	mkdir(COPY, 0700);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "small/%s", names[i]);
		load(&b, path);
		snprintf(path, sizeof(path), COPY "/%s", names[i]);
		store(&b, b.size, path);
	}
	return 0;
}

static void whole_trace_is_read(void **state)
{
	(void)state;
	const struct result r = read_trace(COPY);

	assert_int_equal(r.events, EVENTS);
	assert_int_equal(r.gaps, 1);
	assert_int_equal(r.problems, 0);
}

/* Returns the offset where the content of the packet at `at` ends. */
static size_t content_end(const struct bytes *b, size_t at)
{
	struct packet_header h;

	memcpy(&h, b->data + at, sizeof(h));
	return at + h.content_size / 8;
}

static void stream_is_cut_at_every_byte(void **state)
{
	struct bytes b;
	unsigned int last = 0;

	(void)state;
	load(&b, "small/stream-3");
	size_t first_end = content_end(&b, 0);
	size_t second_end = content_end(&b, SECOND_PACKET);

	for (size_t size = 0; size <= b.size; size++) {
		if (size > 0 && b.data[size - 1] == PADDING && size % PADDING_STEP) {
			continue;
		}
		bool is_whole = size == 0 || (size >= first_end && size <= SECOND_PACKET) ||
				size >= second_end;

		store(&b, size, COPY "/stream-3");
		const struct result r = read_trace(COPY);

		assert_true(r.opened);
		assert_true(r.events >= last && r.events <= EVENTS);
		assert_int_equal(r.problems, !is_whole);
		if (!is_whole) {
			assert_non_null(strstr(r.error, "stream-3: packet "));
		}
		last = r.events;
	}
	assert_int_equal(last, EVENTS);
}

static void metadata_is_cut_at_every_byte(void **state)
{
	struct bytes b;
	unsigned int opened = 0;

	(void)state;
	load(&b, "small/metadata");
	for (size_t size = 0; size <= b.size; size++) {
		store(&b, size, COPY "/metadata");
		const struct result r = read_trace(COPY);

		opened += r.opened;
		if (!r.opened) {
			assert_non_null(strstr(r.error, "metadata:"));
		}
		/* An event that was not declared in time is reported. */
		assert_true(!r.opened || r.events == EVENTS || r.problems > 0);
	}
	assert_true(opened > 0 && opened < b.size);
	assert_int_equal(read_trace(COPY).events, EVENTS);
}

static void flip_every_byte(const char *from, const char *to, unsigned char bits)
{
	struct bytes b;

	load(&b, from);
	for (size_t i = 0; i < b.size; i++) {
		if (b.data[i] == PADDING) {
			continue; /* not read, because it follows a packet's content */
		}
		b.data[i] ^= bits;
		store(&b, b.size, to);
		const struct result r = read_trace(COPY);

		assert_true(!r.opened || r.events <= EVENTS + 5);
		b.data[i] ^= bits;
	}
	store(&b, b.size, to);
	assert_int_equal(read_trace(COPY).events, EVENTS);
}

/* Writes the metadata of `small` with another attribute of the clock, and `more` after it. */
static void declare_clock(const char *attribute, const char *as, const char *more)
{
	struct bytes b;
	struct bytes made = { .size = 0 };

	load(&b, "small/metadata");
	b.data[b.size] = '\0';
	char *found = strstr((char *)b.data, attribute);

	assert_non_null(found);
	made.size = (size_t)snprintf((char *)made.data, sizeof(made.data), "%.*s%s%s%s",
		(int)(found - (char *)b.data), (char *)b.data, as, found + strlen(attribute), more);
	assert_true(made.size < sizeof(made.data));
	store(&made, made.size, COPY "/metadata");
}

/* Impossible clocks are refused, so that every time can be computed. Found by a fuzzer. */
static void clock_that_cannot_be_is_a_problem(void **state)
{
	static const struct {
		const char *attribute, *as, *more, *problem;
	} clocks[] = {
		{ "freq = 2400000000;", "freq = 0;", "", "a clock of 0 Hz" },
		{ "freq = 2400000000;", "freq = 16000000001;", "", "a clock of 16000000001 Hz" },
		{ "offset = 7;", "offset = 2400000000;", "",
			"a clock's offset of 2400000000 ticks is a second or more: a second has 2400000000" },
		{ "freq = 2400000000;", "freq = 1;", "", "a clock's offset of 7 ticks" },
		{ "", "", "clock { freq = none; };\n", "a number" },
		{ "", "", "clock { freq = 0; };\n", "a clock of 0 Hz" },
		{ "", "", "clock { freq = 0; ", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		declare_clock(clocks[i].attribute, clocks[i].as, clocks[i].more);
		const struct result r = read_trace(COPY);

		if (clocks[i].problem) {
			assert_non_null(strstr(r.error, clocks[i].problem));
		} else {
			assert_int_equal(r.events, EVENTS);
		}
	}
}

static void every_byte_of_the_metadata_is_flipped(void **state)
{
	(void)state;
	flip_every_byte("small/metadata", COPY "/metadata", 0x01);
}

static void every_byte_of_a_stream_is_flipped(void **state)
{
	(void)state;
	flip_every_byte("small/stream-3", COPY "/stream-3", 0xff);
	flip_every_byte("small/stream-3", COPY "/stream-3", 0x01);
}

/* Each wrong byte in the checked part of a header loses exactly that packet. */
static void flipped_header_is_a_problem(void **state)
{
	const size_t relied_on = offsetof(struct packet_header, timestamp_begin);
	struct bytes b;

	(void)state;
	load(&b, "small/stream-3");
	for (size_t i = 0; i < relied_on; i++) {
		b.data[SECOND_PACKET + i] ^= 0xff;
		store(&b, b.size, COPY "/stream-3");
		const struct result r = read_trace(COPY);

		assert_int_equal(r.problems, 1);
		assert_non_null(strstr(r.error, "stream-3: packet 2 at byte 4096: "));
		assert_int_equal(r.events, EVENTS - 4);
		b.data[SECOND_PACKET + i] ^= 0xff;
	}
}

/* A process declares an event after the reader has looked: the reader looks again. */
static void metadata_grows_while_it_is_read(void **state)
{
	const struct reader_options options = { 0 };
	struct read_error error;
	struct record rec;
	struct bytes b;
	unsigned int events = 0;

	(void)state;
	load(&b, "small/metadata");
	b.data[b.size] = '\0';
	char *last = strstr((char *)b.data, "/* trace-events block/trace-events:12");

	assert_non_null(last);
	store(&b, (size_t)(last - (char *)b.data) + 50, COPY "/metadata");
	struct reader *r = reader_open(COPY, &options, &error);

	assert_non_null(r);
	store(&b, b.size, COPY "/metadata");
	while (reader_next(r, &rec) == READ_RECORD) {
		events += rec.kind == RECORD_EVENT;
	}
	assert_int_equal(events, EVENTS);
	reader_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(whole_trace_is_read, copy_trace),
		cmocka_unit_test(all_traces_are_counted_as_they_are_read),
		cmocka_unit_test_setup(stream_is_cut_at_every_byte, copy_trace),
		cmocka_unit_test_setup(metadata_is_cut_at_every_byte, copy_trace),
		cmocka_unit_test_setup(clock_that_cannot_be_is_a_problem, copy_trace),
		cmocka_unit_test_setup(every_byte_of_the_metadata_is_flipped, copy_trace),
		cmocka_unit_test_setup(every_byte_of_a_stream_is_flipped, copy_trace),
		cmocka_unit_test_setup(flipped_header_is_a_problem, copy_trace),
		cmocka_unit_test_setup(metadata_grows_while_it_is_read, copy_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
