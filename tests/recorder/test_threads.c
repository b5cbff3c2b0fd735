/* SPDX-License-Identifier: MIT */
/* Many threads: memory stays bounded, and no event is lost when a thread ends. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support.h"
#include "rt/sink/sink.h"

static pthread_barrier_t barrier;

/* Returns the resident memory of the process in KiB. */
static unsigned long resident(void)
{
	unsigned long size = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (fscanf(f, "%lu %lu", &size, &pages) != 2) {
		pages = 0;
	}
	fclose(f);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

static void *record_three(void *who)
{
	pthread_barrier_wait(&barrier);
	for (uint64_t i = 0; i < 3; i++) {
		trace_pair((uintptr_t)who, i);
	}
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static unsigned int thread_count;

static void run_threads_at_once(void)
{
	pthread_t *t = calloc(thread_count, sizeof(*t));
	pthread_attr_t attr;

	waymark_sink_simple.set_file("crowd", false, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	pthread_barrier_init(&barrier, NULL, thread_count + 1);
	for (uintptr_t i = 0; i < thread_count; i++) {
		if (pthread_create(&t[i], &attr, record_three, (void *)i)) {
			_exit(1);
		}
	}
	unsigned long before = resident();

	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	unsigned long grown = resident() - before;

	pthread_barrier_wait(&barrier);
	for (unsigned int i = 0; i < thread_count; i++) {
		pthread_join(t[i], NULL);
	}
	free(t);
	if (!UNDER_SANITIZER && grown > thread_count * 64) {
		fprintf(stderr, "%u threads take %lu KiB\n", thread_count, grown);
		_exit(2);
	}
}

static void a_thousand_threads_have_64_KiB_each_at_most(void **state)
{
	struct trace t;

	(void)state;
	thread_count = amount(1000, 1000);
	assert_int_equal(run(run_threads_at_once), 0);
	read_trace(&t, "crowd", 0);
	assert_int_equal(t.events, 3 * thread_count);
	for (uint64_t who = 0; who < thread_count; who++) {
		assert_int_equal(check_order(&t, who), 3);
	}
	trace_free(&t);
}

static void *record_one(void *who)
{
	trace_pair((uintptr_t)who, 0);
	return NULL;
}

static void run_short_threads(void)
{
	waymark_recorder_set_buffer(16 << 20, NULL);
	waymark_recorder_set_policy(RECORDER_BLOCK, NULL); /* the machine may be busy */
	waymark_sink_simple.set_file("short", false, NULL);
	unsigned long before = resident();

	for (uintptr_t i = 0; i < thread_count; i++) {
		pthread_t t;

		pthread_create(&t, NULL, record_one, (void *)i);
		pthread_join(t, NULL);
	}
	if (!UNDER_SANITIZER && !UNDER_EMULATOR && resident() - before > 24 << 10) {
		fprintf(stderr, "%u threads left %lu KiB\n", thread_count, resident() - before);
		_exit(2);
	}
}

static void ten_thousand_short_threads_leave_nothing_behind(void **state)
{
	struct trace t;

	(void)state;
	thread_count = amount(10000, 50000);
	assert_int_equal(run(run_short_threads), 0);
	read_trace(&t, "short", 0);
	assert_int_equal(t.events + t.missing, thread_count);
	assert_int_equal(t.missing, 0);
	trace_free(&t);
}

static pthread_key_t late_key;

/* Runs again and again, also after the last round in which the recorder could clean up. */
static void record_late(void *rounds)
{
	static __thread uint64_t i = 1;

	trace_pair(7, i++);
	pthread_setspecific(late_key, rounds);
}

static void *record_and_end(void *unused)
{
	(void)unused;
	trace_pair(7, 0);
	pthread_setspecific(late_key, &late_key);
	return NULL;
}

static void record_in_thread_destructors(void)
{
	pthread_t t;

	waymark_sink_simple.set_file("late", false, NULL);
	pthread_key_create(&late_key, record_late);
	pthread_create(&t, NULL, record_and_end, NULL);
	pthread_join(t, NULL);
}

static void events_of_thread_destructors_are_kept(void **state)
{
	struct trace t;

	(void)state;
	if (UNDER_TSAN) {
		skip_because("ThreadSanitizer's threads are gone before their last destructors");
	}
	assert_int_equal(run(record_in_thread_destructors), 0);
	read_trace(&t, "late", 0);
	assert_int_equal(check_order(&t, 7), 1 + PTHREAD_DESTRUCTOR_ITERATIONS);
	trace_free(&t);
}

static void record_with_little_address_space(void)
{
	struct rlimit limit = { 100 << 20, 100 << 20 };

	setrlimit(RLIMIT_AS, &limit);
	waymark_sink_simple.set_file("narrow", false, NULL);
	for (uint64_t i = 0; i < 1000; i++) {
		trace_pair(1, i);
	}
}

static void record_with_no_address_space(void)
{
	waymark_sink_simple.set_file("narrow", false, NULL);
	limit_memory();
	for (uint64_t i = 0; i < 1000; i++) {
		trace_pair(1, i);
	}
	_exit(0);
}

static void little_address_space_is_survived(void **state)
{
	char said[1024];
	struct trace t;

	(void)state;
	if (UNDER_SANITIZER) {
		skip_because(SKIP_SANITIZER);
	}
	assert_int_equal(run(record_with_little_address_space), 0);
	read_trace(&t, "narrow", 0);
	assert_int_equal(check_order(&t, 1), 1000);
	trace_free(&t);
	int status = run_and_listen(record_with_no_address_space, said, sizeof(said));

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		skip_because(SKIP_LIMIT);
	}
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_threads_have_64_KiB_each_at_most),
		cmocka_unit_test(ten_thousand_short_threads_leave_nothing_behind),
		cmocka_unit_test(events_of_thread_destructors_are_kept),
		cmocka_unit_test(little_address_space_is_survived),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
