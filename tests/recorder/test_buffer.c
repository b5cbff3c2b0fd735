/* SPDX-License-Identifier: MIT */
/* Unit tests of a buffer's sub-buffers and of the lines that record clocks. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../common/step.h"
#include "support.h"
#include "rt/record/buffer.h"
#include "rt/record/clock.h"

#define MIB (UINT64_C(1) << 20)

/* Creates a buffer in the process's memory, or in a file if `WAYMARK_TEST_FILE` is set. */
static struct buffer *create(uint64_t bytes)
{
	static char path[BUFFER_FILE_PATH_BYTES];
	const char *directory = getenv("WAYMARK_TEST_FILE");
	struct buffer_place place = { .directory = directory, .path = directory ? path : NULL };
	int why;
	struct buffer *a = waymark_buffer_create(bytes, &place, (uint32_t)getpid(), &why);

	if (a && place.directory) {
		assert_true(a->is_file);
	}
	return a;
}

static void subbufs_do_not_overlap_until_the_buffer_is_full(void **state)
{
	struct buffer *a = create(4 * MIB);
	uint8_t taken[64] = { 0 };
	uint32_t unit;
	unsigned int units = 0;

	(void)state;
	for (unsigned int i = 0; (unit = waymark_buffer_take(a, i % BUFFER_CLASSES, 1)) != 0; i++) {
		unsigned int count = buffer_class_units(a->subbufs[unit].size_class);

		assert_in_range(unit + count, 2, 64);
		for (unsigned int k = 0; k < count; k++) {
			assert_int_equal(taken[unit + k]++, 0);
		}
		units += count;
	}
	assert_int_equal(units, 64 - a->file.first_unit); /* all except those of the tables */
	assert_in_range(a->file.first_unit, 1, 2);
	waymark_buffer_destroy(a, true);
}

static void a_large_subbuf_that_came_back_serves_small_takers(void **state)
{
	struct buffer *a = create(4 * MIB);
	uint32_t large[3];
	unsigned int small = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		large[i] = waymark_buffer_take(a, BUFFER_LARGE, 1);
		assert_int_equal(a->subbufs[large[i]].size_class, BUFFER_LARGE);
	}
	while (waymark_buffer_take(a, BUFFER_SMALL, 1)) {
		small++;
	}
	assert_int_equal(small, 16 - a->file.first_unit);
	waymark_buffer_give(a, large[1]);
	while (waymark_buffer_take(a, BUFFER_SMALL, 1)) {
		small++;
	}
	assert_int_equal(small, 32 - a->file.first_unit);
	waymark_buffer_destroy(a, true);
}

static void memory_given_back_reads_zero_and_is_taken_again(void **state)
{
	struct buffer *a = create(4 * MIB);
	uint32_t unit = waymark_buffer_take(a, BUFFER_SMALL, 1);

	(void)state;
	memset(buffer_at(a, unit), 0xff, BUFFER_UNIT);
	waymark_buffer_give(a, unit);
	waymark_buffer_trim(a);
	assert_int_equal(buffer_at(a, unit)[100], 0);
	bool again = false;

	for (uint32_t u; (u = waymark_buffer_take(a, BUFFER_SMALL, 1)) != 0;) {
		again |= u == unit;
	}
	assert_true(again);
	waymark_buffer_destroy(a, true);
}

/* Returns the bytes of memory that the buffer's file has. */
static uint64_t memory_of(const struct buffer *b)
{
	struct stat st;

	assert_int_equal(stat(b->path, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void a_small_subbuf_gets_memory_when_it_needs_it(void **state)
{
	char path[BUFFER_FILE_PATH_BYTES];
	struct buffer_place place = { .uuid = { 1, 2, 3, 4 }, .path = path };
	int why;
	struct buffer *a = waymark_buffer_create(4 * MIB, &place, (uint32_t)getpid(), &why);

	(void)state;
	assert_non_null(a);
	if (!a->is_file) {
		waymark_buffer_destroy(a, true);
		skip_because("a file cannot be made under /dev/shm");
	}
	uint64_t before = memory_of(a);
	uint32_t unit = waymark_buffer_take(a, BUFFER_SMALL, 1);

	if (IN_EMULATOR) {
		waymark_buffer_destroy(a, true);
		skip_because("qemu-user touches memory that MADV_POPULATE_WRITE should allocate");
	}
	uint32_t first = waymark_buffer_first_bytes();

	assert_in_range(first, 8192, BUFFER_UNIT);
	assert_int_equal(memory_of(a) - before, first);
	assert_int_equal(subbuf_filled(a, unit), first);
	assert_true(waymark_buffer_fill(a, unit, first));
	assert_int_equal(memory_of(a) - before, first);
	/* Given back and taken again, it has what it had. */
	waymark_buffer_give(a, unit);
	assert_int_equal(waymark_buffer_take(a, BUFFER_SMALL, 1), unit);
	assert_int_equal(subbuf_filled(a, unit), first);
	assert_true(waymark_buffer_fill(a, unit, BUFFER_UNIT));
	assert_int_equal(memory_of(a) - before, BUFFER_UNIT);
	assert_int_equal(subbuf_filled(a, unit), BUFFER_UNIT);
	/* A larger one has all of its memory at once. */
	uint32_t medium = waymark_buffer_take(a, BUFFER_MEDIUM, 1);

	assert_int_equal(memory_of(a) - before, 5 * BUFFER_UNIT);
	assert_int_equal(subbuf_filled(a, medium), 4 * BUFFER_UNIT);
	waymark_buffer_destroy(a, true);
}

/* Creates a buffer in a tmpfs of `size` under the current directory; skips the test if it cannot.
 */
static struct buffer *create_in_tmpfs(const char *size, uint64_t bytes)
{
	static char path[BUFFER_FILE_PATH_BYTES];
	struct buffer_place place = { .directory = "small", .path = path, .in_trace = true };
	int why;

	mkdir("small", 0700);
	if (mount("none", "small", "tmpfs", 0, size)) {
		skip_because(SKIP_MOUNT);
	}
	struct buffer *a = waymark_buffer_create(bytes, &place, (uint32_t)getpid(), &why);

	assert_non_null(a);
	assert_true(a->is_file);
	return a;
}

static void destroy_in_tmpfs(struct buffer *a)
{
	waymark_buffer_destroy(a, true);
	assert_int_equal(umount2("small", MNT_DETACH), 0);
}

/* Takes all memory of the tmpfs, except `pages`. */
static void fill_tmpfs(unsigned int pages)
{
	static const char page[4096];
	int fd = open("small/filler", O_CREAT | O_WRONLY, 0600);
	off_t length = 0;

	while (write(fd, page, sizeof(page)) == (ssize_t)sizeof(page)) {
		length += (off_t)sizeof(page);
	}
	assert_int_equal(ftruncate(fd, length - (off_t)(pages * sizeof(page))), 0);
	close(fd);
}

static bool has_first_pages_only(void)
{
	return !IN_EMULATOR && waymark_buffer_first_bytes() < BUFFER_UNIT;
}

static void free_memory_is_found_though_no_more_can_be_got(void **state)
{
	uint32_t units[3];
	const size_t bytes = BUFFER_UNIT / 2 + 1;

	(void)state;
	if (!has_first_pages_only()) {
		skip_because("each sub-buffer has all of its memory here");
	}
	struct buffer *a = create_in_tmpfs("size=20m", 16 * MIB);

	for (unsigned int k = 0; k < 3; k++) {
		units[k] = waymark_buffer_take(a, k, 1);
	}
	uint32_t whole = waymark_buffer_take(a, BUFFER_SMALL, bytes);
	uint32_t quiet = waymark_buffer_take(a, BUFFER_SMALL, 1);

	waymark_buffer_give(a, whole);
	for (unsigned int k = 0; k < 3; k++) {
		waymark_buffer_give(a, units[k]);
	}
	waymark_buffer_give(a, quiet); /* on top, with its first pages only */
	fill_tmpfs(4);
	uint64_t before = memory_of(a);

	/* 1 small unit, 4 of the medium and 16 of the large one */
	for (unsigned int i = 0; i < 21; i++) {
		uint32_t unit = waymark_buffer_take(a, BUFFER_SMALL, bytes);

		assert_int_not_equal(unit, 0);
		assert_in_range(subbuf_filled(a, unit), bytes, BUFFER_UNIT);
	}
	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(waymark_buffer_take(a, BUFFER_SMALL, bytes), 0);
	}
	/* What was got in vain was given back. */
	assert_int_equal(memory_of(a), before);
	assert_int_not_equal(waymark_buffer_take(a, BUFFER_SMALL, 1), 0);
	assert_int_not_equal(waymark_buffer_take(a, BUFFER_SMALL, 1), 0);
	destroy_in_tmpfs(a);
}

static void memory_that_is_made_ready_once_and_given_back_is_not_made_again(void **state)
{
	struct buffer *a = create(16 * MIB);
	uint32_t bump = 0;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_not_equal(waymark_buffer_take(a, BUFFER_SMALL, 1), 0);
	}
	for (unsigned int i = 0; i < 10; i++) {
		waymark_buffer_populate(a);
		waymark_buffer_trim(a);
		assert_true(i == 0 || a->bump == bump);
		bump = a->bump;
	}
	waymark_buffer_destroy(a, true);
}

static void threads_run_low_by_memory_in_use_or_new(void **state)
{
	struct buffer *a = create(64 * MIB);

	(void)state;
	waymark_buffer_populate(a);
	assert_false(waymark_buffer_runs_low(a, 64));
	for (unsigned int i = 0; i < 2; i++) {
		assert_false(waymark_buffer_runs_low(a, 64));
		assert_int_not_equal(waymark_buffer_take(a, BUFFER_LARGE, 1), 0);
	}
	assert_true(waymark_buffer_runs_low(a, 64)); /* more new memory is wanted soon */
	waymark_buffer_populate(a);
	assert_false(waymark_buffer_runs_low(a, 64));
	assert_true(waymark_buffer_runs_low(a, 32)); /* so much is in use */

	uint32_t unit = waymark_buffer_take(a, BUFFER_LARGE, 1);

	waymark_buffer_populate(a);
	for (unsigned int i = 0; i < 10; i++) { /* memory used again is not new */
		waymark_buffer_give(a, unit);
		unit = waymark_buffer_take(a, BUFFER_LARGE, 1);
		assert_false(waymark_buffer_runs_low(a, 64));
	}
	waymark_buffer_destroy(a, true);
}

static struct buffer *shared;

/* If two threads had one sub-buffer, they would see each other's mark. */
static void *take_and_give(void *mark)
{
	for (unsigned int i = 0; i < amount(100000, 1000000); i++) {
		uint32_t unit = waymark_buffer_take(shared, i % BUFFER_CLASSES, 1);

		if (!unit) {
			continue;
		}
		*(uintptr_t *)(void *)buffer_at(shared, unit) = (uintptr_t)mark;
		if (i % 64 == 0) {
			sched_yield();
		}
		if (*(uintptr_t *)(void *)buffer_at(shared, unit) != (uintptr_t)mark) {
			return (void *)1;
		}
		waymark_buffer_give(shared, unit);
	}
	return NULL;
}

static void threads_never_share_a_subbuf(void **state)
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
	waymark_buffer_destroy(shared, true);
}

#if defined(__x86_64__) && !UNDER_SANITIZER

/* Number of stepped instructions: taking a new sub-buffer, and freeing the first one. */
#define STEPS 150

static void (*inside)(void);
static long step, steps;

/* Runs after each instruction, and acts from instruction `step` on. */
static void trap(int sig)
{
	(void)sig;
	if (steps++ >= step) {
		inside();
	}
}

static void begin_steps(void (*what)(void), long from)
{
	struct sigaction act = { .sa_handler = trap };

	sigaction(SIGTRAP, &act, NULL);
	inside = what;
	step = from;
	steps = 0;
	BEGIN_STEPS();
}

static void end_steps(void)
{
	END_STEPS();
}

/*
 * Returns true if the kernel can store into the whole sub-buffer. The kernel reports missing
 * memory as an error, not as a signal.
 */
static bool has_memory(struct buffer *a, uint32_t unit)
{
	size_t bytes = subbuf_bytes(a, unit);

	for (size_t i = 0; i < bytes; i += 4096) {
		if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, buffer_at(a, unit) + i)) {
			return false;
		}
	}
	return true;
}

static void populate_once(void)
{
	if (steps == step + 1) {
		waymark_buffer_populate(shared);
	}
}

static void a_subbuf_has_memory_though_the_writer_makes_some_ready(void **state)
{
	(void)state;
	for (long at = 0; at < STEPS; at++) {
		shared = create(4 * MIB);
		begin_steps(populate_once, at);
		uint32_t unit = waymark_buffer_take(shared, BUFFER_MEDIUM, 1);

		end_steps();
		assert_true(steps > 20);
		assert_true(has_memory(shared, unit));
		waymark_buffer_destroy(shared, true);
	}
}

static uint32_t seen;
static bool cold_among_warm;

/* Another thread takes all ready sub-buffers while the writer turns them into free ones. */
static void take_what_is_ready(void)
{
	uint32_t warm = (uint32_t)shared->free[BUFFER_WARM][BUFFER_SMALL].top;

	if (steps == step + 1) {
		waymark_buffer_take(shared, BUFFER_LARGE, 1);
	}
	if (warm && warm != seen) {
		cold_among_warm |= !has_memory(shared, warm);
	}
	seen = warm;
}

static void a_free_subbuf_has_memory_though_others_take_some(void **state)
{
	(void)state;
	for (long at = 0; at < STEPS; at++) {
		shared = create(4 * MIB);
		waymark_buffer_take(shared, BUFFER_MEDIUM, 1);
		waymark_buffer_populate(shared);
		assert_int_equal(
			shared->whole.ready, shared->bump + buffer_class_units(BUFFER_LARGE));
		begin_steps(take_what_is_ready, at);
		waymark_buffer_trim(shared);
		end_steps();
		assert_true(steps > 20);
		assert_false(cold_among_warm);
		waymark_buffer_destroy(shared, true);
	}
}

#else

static void a_subbuf_has_memory_though_the_writer_makes_some_ready(void **state)
{
	(void)state;
	skip_because(SKIP_STEPS);
}

static void a_free_subbuf_has_memory_though_others_take_some(void **state)
{
	a_subbuf_has_memory_though_the_writer_makes_some_ready(state);
}

#endif

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
		cmocka_unit_test(subbufs_do_not_overlap_until_the_buffer_is_full),
		cmocka_unit_test(a_large_subbuf_that_came_back_serves_small_takers),
		cmocka_unit_test(memory_given_back_reads_zero_and_is_taken_again),
		cmocka_unit_test(a_small_subbuf_gets_memory_when_it_needs_it),
		cmocka_unit_test(free_memory_is_found_though_no_more_can_be_got),
		cmocka_unit_test(memory_that_is_made_ready_once_and_given_back_is_not_made_again),
		cmocka_unit_test(threads_run_low_by_memory_in_use_or_new),
		cmocka_unit_test(threads_never_share_a_subbuf),
		cmocka_unit_test(a_subbuf_has_memory_though_the_writer_makes_some_ready),
		cmocka_unit_test(a_free_subbuf_has_memory_though_others_take_some),
		cmocka_unit_test(lines_meet_and_never_go_back),
		cmocka_unit_test(a_line_over_a_week_ends_where_it_should),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
