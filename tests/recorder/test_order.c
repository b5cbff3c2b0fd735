/* SPDX-License-Identifier: MIT */
/*
 * Many threads at the same time: every event is in the file or counted by a gap, and each thread's
 * events are in order of their argument and time. Checks that QEMU's faults 1 (the ring stops), 6
 * (gaps that cannot be located), 7 (a stalled producer stops the others) and 8 (order between
 * threads) are absent.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support.h"
#include "rt/record/clock.h"
#include "rt/record/recorder.h"
#include "rt/sink/sink.h"

#define THREADS 8

static unsigned int per_thread;

static void record_from_to(uintptr_t who, uint64_t first, uint64_t end)
{
	for (uint64_t i = first; i < end; i++) {
		trace_pair(who, i);
	}
}

static void *record_many(void *who)
{
	record_from_to((uintptr_t)who, 0, per_thread);
	return NULL;
}

static void record_with_threads(const char *file, void *(*body)(void *who))
{
	struct waymark_error error;
	pthread_t t[THREADS];

	waymark_sink_simple.set_file(file, false, &error);
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_create(&t[i], NULL, body, (void *)i);
	}
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
	}
}

static void record_with_all_memory(void)
{
	record_with_threads("many", record_many);
}

/*
 * Records half of the events, more than a buffer holds, while the file accepts nothing; then the
 * rest.
 */
static void record_a_half_in_vain(uintptr_t who)
{
	record_from_to(who, 0, per_thread / 2);
	let_slow_file_take();
	record_from_to(who, per_thread / 2, per_thread);
}

static void *record_many_to_a_slow_file(void *who)
{
	if (who) {
		return record_many(who);
	}
	record_a_half_in_vain(0);
	return NULL;
}

static void record_with_little_memory(void)
{
	if (waymark_recorder_set_buffer(1 << 20, NULL)) {
		_exit(1);
	}
	record_with_threads("slow", record_many_to_a_slow_file);
}

static void check_many(struct trace *t, bool may_lose)
{
	uint64_t found = 0;

	read_trace(t, "many", 0);
	for (uint64_t who = 0; who < THREADS; who++) {
		found += may_lose ? check_rising(t, who) : check_order(t, who);
	}
	assert_int_equal(found, t->events);
	assert_int_equal(t->events + t->missing, (uint64_t)THREADS * per_thread);
	if (!may_lose) {
		assert_int_equal(t->missing, 0);
	}
}

static void fault_1_no_run_wedges_and_every_event_is_accounted_for(void **state)
{
	char said[1024];

	(void)state;
	per_thread = amount(20000, 1000000);
	for (unsigned int run = 0; run < amount(50, 50); run++) {
		struct trace t;

		assert_int_equal(run_and_listen(record_with_all_memory, said, sizeof(said)), 0);
		check_many(&t, per_thread > 100000);
		trace_free(&t);
	}
}

/* Gaps are exactly where events are missing: a thread's events before a gap are older. */
static void fault_6_losses_are_counted_where_they_are(void **state)
{
	char said[1024];
	struct trace t;
	uint64_t gaps = 0;

	(void)state;
	per_thread = amount(300000, 1000000);
	make_slow_file("slow", "many");
	assert_int_equal(run_and_listen(record_with_little_memory, said, sizeof(said)), 0);
	end_slow_file();
	check_many(&t, true);
	assert_true(t.missing > 0);
	assert_non_null(strstr(said, "waymark: "));
	assert_non_null(strstr(said, "events lost"));
	for (size_t i = 0; i < t.count; i++) {
		gaps += !t.records[i].name;
	}
	assert_true(gaps >= 1);
	trace_free(&t);
}

static __thread unsigned int yields; /* of this thread; others may wait for something else */

/* Replaces the C library's function, which a thread calls while it waits for memory. */
int sched_yield(void)
{
	yields++;
	return (int)syscall(SYS_sched_yield);
}

/* Waits are counted, not timed: the duration of an event depends on the load. */
static void record_without_waiting(void)
{
	if (waymark_recorder_set_buffer(1 << 20, NULL) ||
		waymark_recorder_set_policy(RECORDER_OVERWRITE, NULL)) {
		_exit(1);
	}
	waymark_sink_simple.set_file("slow", false, NULL);
	yields = 0;
	record_many((void *)5);
	struct waymark_recorder_stats stats;

	waymark_recorder_get_stats(&stats);
	if (yields || !stats.lost) {
		fprintf(stderr, "waited %u times, %" PRIu64 " events lost\n", yields, stats.lost);
		_exit(2);
	}
	let_slow_file_take();
}

static void who_keeps_everything_is_not_waited_for_to_overwrite(void **state)
{
	(void)state;
	per_thread = 1000000;
	make_slow_file("slow", "patient");
	assert_int_equal(run(record_without_waiting), 0);
	end_slow_file();
}

static void record_alone_with_little_memory(void)
{
	if (waymark_recorder_set_buffer(1 << 20, NULL)) {
		_exit(1);
	}
	waymark_sink_simple.set_file("slow", false, NULL);
	record_a_half_in_vain(5);
}

static void fault_6_each_gap_counts_exactly_what_its_thread_misses(void **state)
{
	char said[1024];
	struct trace t;
	uint64_t next = 0;
	uint64_t missing = 0;

	(void)state;
	per_thread = amount(2000000, 10000000);
	make_slow_file("slow", "alone");
	assert_int_equal(run_and_listen(record_alone_with_little_memory, said, sizeof(said)), 0);
	end_slow_file();
	read_trace(&t, "alone", 0);
	assert_true(t.missing > 0);
	for (size_t i = 0; i < t.count; i++) {
		const struct decoded *d = &t.records[i];

		if (!d->name) {
			missing += d->missing;
			continue;
		}
		assert_int_equal(trace_arg(d, 1), next + missing);
		next = trace_arg(d, 1) + 1;
		missing = 0;
	}
	assert_int_equal(
		next + missing, per_thread); /* a final gap counts the events missing at the end */
	trace_free(&t);
}

static bool is_stalled;

static void *stall(void *unused)
{
	struct waymark_record r;

	(void)unused;
	trace_pair(100, 0);
	waymark_record_begin(&r, WAYMARK_RECORDER_SIMPLE, &event_pair, 32);
	__atomic_store_n(&is_stalled, true, __ATOMIC_RELEASE);
	for (;;) {
		pause();
	}
	return NULL;
}

static void record_beside_a_stalled_thread(void)
{
	struct waymark_error error;
	pthread_t t;

	waymark_sink_simple.set_file("stalled", false, &error);
	pthread_create(&t, NULL, stall, NULL);
	while (!__atomic_load_n(&is_stalled, __ATOMIC_ACQUIRE)) {
		sleep_ms(1);
	}
	for (uint64_t i = 0; i < 1000; i++) {
		trace_pair(1, i);
	}
	wait_for_size("stalled", 24 + 1001 * 48);
	_exit(0); /* all events are in the file although a thread has stalled */
}

static void fault_7_a_stalled_thread_holds_up_nobody(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(run(record_beside_a_stalled_thread), 0);
	read_trace(&t, "stalled", 0);
	assert_int_equal(check_order(&t, 1), 1000);
	assert_int_equal(check_order(&t, 100), 1);
	trace_free(&t);
}

static uint64_t turn;

/* Two threads wait for each other: each event is later than the other thread's event before it. */
static void *take_turns(void *who)
{
	for (uint64_t i = 0; i < 5000; i++) {
		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 2 * i + (uintptr_t)who) {
			sched_yield();
		}
		/* Also orders this thread's clock, which may be read before the load. */
		sched_yield();
		trace_pair((uintptr_t)who, i);
		__atomic_store_n(&turn, 2 * i + (uintptr_t)who + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void record_in_turns(void)
{
	struct waymark_error error;
	pthread_t t;

	waymark_sink_simple.set_file("turns", false, &error);
	pthread_create(&t, NULL, take_turns, (void *)1);
	take_turns((void *)0);
	pthread_join(t, NULL);
}

static void fault_8_threads_that_take_turns_are_in_order_in_the_file(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(run(record_in_turns), 0);
	read_trace(&t, "turns", 0);
	assert_int_equal(t.events, 10000);
	assert_int_equal(t.backwards, 0);
	for (size_t i = 0; i < t.count; i++) {
		assert_int_equal(trace_arg(&t.records[i], 0), i % 2);
	}
	trace_free(&t);
}

/* In the build without a cycle counter: checks that the clock uses none. */
static void the_clock_is_the_one_that_was_asked_for(void **state)
{
	(void)state;
#ifdef RT_SYSTEM_CLOCK
	assert_false(waymark_clock_is_cycles());
#endif
	assert_true(waymark_clock_ticks() > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_is_the_one_that_was_asked_for),
		cmocka_unit_test(fault_1_no_run_wedges_and_every_event_is_accounted_for),
		cmocka_unit_test(fault_6_losses_are_counted_where_they_are),
		cmocka_unit_test(who_keeps_everything_is_not_waited_for_to_overwrite),
		cmocka_unit_test(fault_6_each_gap_counts_exactly_what_its_thread_misses),
		cmocka_unit_test(fault_7_a_stalled_thread_holds_up_nobody),
		cmocka_unit_test(fault_8_threads_that_take_turns_are_in_order_in_the_file),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
