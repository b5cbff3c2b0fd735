/* SPDX-License-Identifier: MIT */
/* The arena's chunks and the clock's lines, by themselves. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"
#include "rt/record/arena.h"
#include "rt/record/clock.h"

#define MIB (UINT64_C(1) << 20)

/* Memory of the process, and where `WAYMARK_TEST_FILE` is set, a file. */
static struct arena *create(uint64_t bytes)
{
	static char path[ARENA_FILE_PATH_BYTES];
	struct arena_place place = { .directory = getenv("WAYMARK_TEST_FILE"), .path = path };
	int why;
	struct arena *a = waymark_arena_create(bytes, &place, (uint32_t)getpid(), &why);

	if (a && place.directory) {
		assert_true(a->is_file);
	}
	return a;
}

static void chunks_do_not_overlap_until_the_arena_is_full(void **state)
{
	struct arena *a = create(4 * MIB);
	uint8_t taken[64] = { 0 };
	uint32_t unit;
	unsigned int units = 0;

	(void)state;
	for (unsigned int i = 0; (unit = waymark_arena_take(a, i % ARENA_CLASSES)) != 0; i++) {
		unsigned int count = arena_class_units(a->chunks[unit].size_class);

		assert_in_range(unit + count, 2, 64);
		for (unsigned int k = 0; k < count; k++) {
			assert_int_equal(taken[unit + k]++, 0);
		}
		units += count;
	}
	assert_int_equal(units, 64 - a->file.first_unit); /* all but the tables' own */
	assert_in_range(a->file.first_unit, 1, 2);
	waymark_arena_destroy(a, true);
}

static void a_large_chunk_that_came_back_serves_small_takers(void **state)
{
	struct arena *a = create(4 * MIB);
	uint32_t large[3];
	unsigned int small = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		large[i] = waymark_arena_take(a, ARENA_LARGE);
		assert_int_equal(a->chunks[large[i]].size_class, ARENA_LARGE);
	}
	while (waymark_arena_take(a, ARENA_SMALL)) {
		small++;
	}
	assert_int_equal(small, 16 - a->file.first_unit);
	waymark_arena_give(a, large[1]);
	while (waymark_arena_take(a, ARENA_SMALL)) {
		small++;
	}
	assert_int_equal(small, 32 - a->file.first_unit);
	waymark_arena_destroy(a, true);
}

static void memory_given_back_reads_zero_and_is_taken_again(void **state)
{
	struct arena *a = create(4 * MIB);
	uint32_t unit = waymark_arena_take(a, ARENA_SMALL);

	(void)state;
	memset(arena_at(a, unit), 0xff, ARENA_UNIT);
	waymark_arena_give(a, unit);
	waymark_arena_trim(a);
	assert_int_equal(arena_at(a, unit)[100], 0);
	bool again = false;

	for (uint32_t u; (u = waymark_arena_take(a, ARENA_SMALL)) != 0;) {
		again |= u == unit;
	}
	assert_true(again);
	waymark_arena_destroy(a, true);
}

static struct arena *shared;

/* A chunk that two threads had at a time would show the other's mark. */
static void *take_and_give(void *mark)
{
	for (unsigned int i = 0; i < amount(100000, 1000000); i++) {
		uint32_t unit = waymark_arena_take(shared, i % ARENA_CLASSES);

		if (!unit) {
			continue;
		}
		*(uintptr_t *)(void *)arena_at(shared, unit) = (uintptr_t)mark;
		if (i % 64 == 0) {
			sched_yield();
		}
		if (*(uintptr_t *)(void *)arena_at(shared, unit) != (uintptr_t)mark) {
			return (void *)1;
		}
		waymark_arena_give(shared, unit);
	}
	return NULL;
}

static void threads_never_share_a_chunk(void **state)
{
	pthread_t t[4];

	(void)state;
	shared = create(2 * MIB);
	for (uintptr_t i = 0; i < 4; i++) {
		pthread_create(&t[i], NULL, take_and_give, (void *)(i + 1));
	}
	for (unsigned int i = 0; i < 4; i++) {
		void *shown;

		pthread_join(t[i], &shown);
		assert_null(shown);
	}
	waymark_arena_destroy(shared, true);
}

static void lines_meet_and_never_go_back(void **state)
{
	struct clock_pair from = { 1000000, 5000 };
	uint64_t last = 0;

	(void)state;
	for (uint64_t i = 1; i < 2000; i++) {
		struct clock_pair to = { from.ticks + i * i * 977 + 1,
			from.ns + i * i * 391 + i % 3 };
		struct clock_segment s = waymark_clock_segment(from, to);

		for (unsigned int k = 0; k <= 16; k++) {
			uint64_t ns =
				clock_to_ns(&s, from.ticks + (to.ticks - from.ticks) / 16 * k);

			assert_true(ns >= last);
			last = ns;
		}
		assert_int_equal(clock_to_ns(&s, from.ticks), from.ns);
		assert_in_range(clock_to_ns(&s, to.ticks), to.ns - 1, to.ns);
		from = to;
	}
}

static void a_line_over_a_week_ends_where_it_should(void **state)
{
	uint64_t week = UINT64_C(7) * 86400 * 1000000000;
	struct clock_pair from = { 12345, 678 };
	struct clock_pair to = { 12345 + week * 3, 678 + week };
	struct clock_segment s = waymark_clock_segment(from, to);

	(void)state;
	assert_in_range(clock_to_ns(&s, to.ticks), to.ns - 2000, to.ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_do_not_overlap_until_the_arena_is_full),
		cmocka_unit_test(a_large_chunk_that_came_back_serves_small_takers),
		cmocka_unit_test(memory_given_back_reads_zero_and_is_taken_again),
		cmocka_unit_test(threads_never_share_a_chunk),
		cmocka_unit_test(lines_meet_and_never_go_back),
		cmocka_unit_test(a_line_over_a_week_ends_where_it_should),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
