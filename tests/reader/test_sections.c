/* SPDX-License-Identifier: MIT */
/*
 * Native traces that are read in sections: whatever the bounds, and however many readers take the
 * sections in turn, they have the records of the whole trace, in its order. Only a damaged trace,
 * or one whose last packets are missing, may refuse. Runs in a folder of make_ctf.py's traces.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/merge.h"
#include "read/sections.h"

#define READERS_MAX 3
#define ROUNDS 60
#define BOUNDS_MAX 40
#define FEW 5

/* What is compared of a record. */
struct seen {
	uint64_t ns;
	uint64_t offset;
	uint64_t lost; /* of a gap */
	uint32_t kind;
	uint32_t tid;
	uint32_t trace;
	uint32_t class;
};

struct all {
	VEC(struct seen) items;
	unsigned int problems;
};

static void see(struct all *all, const struct record *rec)
{
	struct seen s;

	memset(&s, 0, sizeof(s));
	s.kind = rec->kind;
	s.tid = rec->tid;
	s.trace = rec->trace;
	s.ns = rec->ns;
	s.offset = rec->offset;
	if (rec->kind == RECORD_EVENT) {
		s.class = (uint32_t)rec->class->index;
	} else {
		s.lost = losses_events(&rec->gap) + 1000 * losses_packets(&rec->gap);
	}
	vec_push(&all->items, s);
}

static struct reader *open_traces(const char *const *paths, size_t count)
{
	const struct reader_options options = { 0 };
	struct read_error error;
	struct reader *r = merge_open(paths, count, &options, &error);

	if (!r) {
		fail_msg("%s: %s", paths[0], error.text);
	}
	return r;
}

/* Reads up to the end of the trace or section; false if a problem ends it. */
static bool read_on(struct all *all, struct reader *r, bool goes_on)
{
	enum read_result result;
	struct record records[FEW];

	do {
		size_t count = reader_take(r, records, FEW);

		for (size_t i = 0; i < count; i++) {
			see(all, &records[i]);
		}
		result = reader_next(r, records);
		if (result == READ_RECORD) {
			see(all, records);
		} else if (result == READ_PROBLEM) {
			all->problems++;
		}
	} while (result == READ_RECORD || (goes_on && result == READ_PROBLEM));
	return result == READ_END;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Chooses bounds at, before and behind records, each once; returns their number. */
static size_t choose_bounds(int64_t *bounds, const struct all *whole)
{
	size_t count = (size_t)rand() % BOUNDS_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = (size_t)rand() % whole->items.count;

		bounds[i] = (int64_t)whole->items.items[at].ns + rand() % 3 - 1;
	}
	qsort(bounds, count, sizeof(*bounds), by_time);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || bounds[i] > bounds[kept - 1]) {
			bounds[kept++] = bounds[i];
		}
	}
	return kept;
}

/* Reads the trace in sections, which `readers` readers take in turn; false if a problem ends it. */
static bool read_sections(
	struct all *all, const char *const *paths, size_t count, const struct all *whole)
{
	int64_t bounds[BOUNDS_MAX];
	size_t sections = choose_bounds(bounds, whole) + 1;
	size_t readers = 1 + (size_t)rand() % READERS_MAX;
	struct reader *r[READERS_MAX];
	bool is_whole = true;

	for (size_t i = 0; i < readers; i++) {
		r[i] = open_traces(paths, count);
	}
	for (size_t i = 0; i < sections && is_whole; i++) {
		struct reader *next = r[i % readers];

		reader_section(next, i == 0 ? INT64_MIN : bounds[i - 1],
			i + 1 == sections ? INT64_MAX : bounds[i]);
		is_whole = read_on(all, next, false);
	}
	for (size_t i = 0; i < readers; i++) {
		reader_close(r[i]);
	}
	return is_whole;
}

static void compare(const struct all *parts, const struct all *whole)
{
	assert_int_equal(parts->items.count, whole->items.count);
	for (size_t i = 0; i < whole->items.count; i++) {
		const struct seen *a = &parts->items.items[i];
		const struct seen *b = &whole->items.items[i];

		if (memcmp(a, b, sizeof(*a)) != 0) {
			fail_msg("record %zu: kind %u, %u; time %llu, %llu; thread %u, %u", i,
				a->kind, b->kind, (unsigned long long)a->ns,
				(unsigned long long)b->ns, a->tid, b->tid);
		}
	}
}

/* Returns how many rounds a problem ended. */
static unsigned int check(const char *const *paths, size_t count)
{
	struct reader *r = open_traces(paths, count);
	struct all whole = { 0 };
	unsigned int refused = 0;

	assert_true(read_on(&whole, r, true));
	reader_close(r);
	for (int i = 0; i < ROUNDS; i++) {
		struct all parts = { 0 };

		if (read_sections(&parts, paths, count, &whole)) {
			compare(&parts, &whole);
		} else {
			refused++;
		}
		vec_fini(&parts.items);
	}
	vec_fini(&whole.items);
	return refused;
}

static void test_complete_traces(void **state)
{
	static const char *const traces[] = { "small", "small-big-endian", "notes", "wrap",
		"pieces", "flight", "thread-ended", "lost-and-rotated", "many-packets",
		"many-packets-big-endian" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(traces); i++) {
		assert_int_equal(check(&traces[i], 1), 0);
	}
}

static void test_several_traces(void **state)
{
	static const char *const two[] = { "small", "many-packets" };
	static const char *const hosts[] = { "small", "other-host", "late-host", "two-boots" };

	(void)state;
	assert_int_equal(check(two, 2), 0);
	assert_int_equal(check(hosts, 4), 0);
}

static void test_damaged_traces_are_refused(void **state)
{
	static const char *const traces[] = { "out-of-order", "unknown-event", "torn", "holes",
		"lost-behind-damage", "no-packet", "other-uuid" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(traces); i++) {
		assert_int_equal(check(&traces[i], 1), ROUNDS);
	}
}

static void test_plan(void **state)
{
	static const char *const whole[] = { "left-over", "cut-metadata", "bad-event", "small" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
		struct reader *r = open_traces(&whole[i], 1);
		struct sections s;

		sections_plan(&s, r);
		assert_int_equal(s.begins.count, 1);
		assert_int_equal(s.threads, 1);
		sections_fini(&s);
		reader_close(r);
	}
}

/* The packets of a made trace: threads take turns, each packet overlaps those of the others. */
struct made {
	struct reader base;
	unsigned int threads;
	uint64_t packet_bytes;
	uint64_t bytes; /* of all */
};

static bool made_loads(const struct reader *base, struct reader_loads *loads)
{
	const struct made *m = (const struct made *)base;
	int64_t ns = 1000;

	for (uint64_t at = 0; at < m->bytes; at += m->packet_bytes, ns += 1000) {
		vec_push(&loads->all, ((struct reader_load){ .ns = ns,
					      .span_ns = m->threads * 1000,
					      .bytes = m->packet_bytes }));
	}
	return true;
}

/* Returns how many of two processors read the trace. */
static unsigned int planned(unsigned int threads, uint64_t packet_bytes, uint64_t bytes)
{
	static const struct reader_format format = { .loads = made_loads };
	const struct made m = { .base = { .format = &format },
		.threads = threads,
		.packet_bytes = packet_bytes,
		.bytes = bytes };
	struct sections s;

	sections_plan(&s, &m.base);
	unsigned int result = s.threads > 1 ? 2 : 1;

	sections_fini(&s);
	return result;
}

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)

/* A long trace of few threads is shared, whatever its packets are; one that overlaps much is not.
 */
static void test_sharing(void **state)
{
	cpu_set_t set;

	(void)state;
	if (sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) < 2) {
		print_message("one processor: nothing is shared\n");
		skip();
	}
	assert_int_equal(planned(1, KIB(64), MIB(100)), 2);
	assert_int_equal(planned(1, MIB(1), MIB(100)), 2);
	assert_int_equal(planned(1, MIB(2), MIB(100)), 2);
	assert_int_equal(planned(2, MIB(1), MIB(100)), 2);
	assert_int_equal(planned(8, KIB(64), MIB(100)), 2);
	assert_int_equal(planned(1, KIB(64), MIB(2)), 1);
	assert_int_equal(planned(400, KIB(256), MIB(100)), 1);
}

/* One thread has long sections, as packets that overlap are passed in each of them. */
static void test_one_thread(void **state)
{
	static const struct reader_format format = { .loads = made_loads };
	const struct made m = { .base = { .format = &format },
		.threads = 100000,
		.packet_bytes = KIB(256),
		.bytes = MIB(4096) };
	struct reader_loads loads = { 0 };
	struct sections s;

	(void)state;
	assert_true(made_loads(&m.base, &loads));
	sections_divide(&s, &loads);
	assert_int_equal(s.threads, 1);
	assert_true(s.begins.count >= 4096 / 64 && s.begins.count <= 4096 / 16);
	sections_fini(&s);
	vec_fini(&loads.all);
}

/* Returns the first gap of the trace `indexed`, of the records from a time on. */
static struct record find_gap(int64_t from_ns)
{
	static const char *const trace = "indexed";
	const struct reader_needs needs = {
		.from_ns = from_ns, .to_ns = INT64_MAX, .is_part = true
	};
	struct reader *r = open_traces(&trace, 1);
	struct record rec = { 0 };

	reader_limit(r, &needs);
	while (rec.kind != RECORD_GAP) {
		assert_int_equal(reader_next(r, &rec), READ_RECORD);
	}
	reader_close(r);
	return rec;
}

/* A reader that goes to a packet by its index knows where the gap before that packet began. */
static void test_gap_before_an_indexed_packet(void **state)
{
	struct record whole = find_gap(INT64_MIN);
	struct record part = find_gap((int64_t)whole.from_ns + 1);

	(void)state;
	assert_true(whole.from_ns < whole.ns);
	assert_int_equal(part.ns, whole.ns);
	assert_int_equal(part.from_ns, whole.from_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete_traces),
		cmocka_unit_test(test_several_traces),
		cmocka_unit_test(test_damaged_traces_are_refused),
		cmocka_unit_test(test_gap_before_an_indexed_packet),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_one_thread),
	};

	srand(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
