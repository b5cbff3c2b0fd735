/* SPDX-License-Identifier: MIT */
/*
 * The statistics that a program can read: per thread, total, and whether events are counted, while
 * a thousand threads start and end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>

#include "events.h"
#include "folder.h"
#include "unit.h"

EVENT(counted, WAYMARK_CTF | WAYMARK_SIMPLE, 1)
EVENT(other, WAYMARK_SIMPLE, 2)
EVENT_LIST(&waymark_event_counted, &waymark_event_other)

#define EVENT_BYTES 16u /* header and padded int */

static struct waymark_thread_info sum_of(const struct waymark_thread_list *list)
{
	struct waymark_thread_info sum = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		sum.recorded += list->threads[i].recorded;
		sum.lost += list->threads[i].lost;
		sum.bytes += list->threads[i].bytes;
	}
	return sum;
}

static const struct waymark_thread_info *find(const struct waymark_thread_list *list, uint32_t tid)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->threads[i].tid == tid) {
			return &list->threads[i];
		}
	}
	return NULL;
}

static void assert_sum_is_total(void)
{
	struct waymark_thread_list list;
	struct waymark_stats stats;

	assert_int_equal(waymark_list_threads(&list, NULL), 0);
	waymark_get_stats(&stats);
	struct waymark_thread_info sum = sum_of(&list);

	assert_int_equal(sum.recorded, stats.recorded);
	assert_int_equal(sum.lost, stats.lost);
	for (size_t i = 1; i < list.count; i++) {
		assert_true(list.threads[i].tid > list.threads[i - 1].tid);
	}
	assert_int_equal(sum.bytes, stats.bytes);
	assert_int_equal(stats.bytes, stats.recorded * EVENT_BYTES);
	waymark_free_threads(&list);
}

static void nothing_was_recorded_yet(void **state)
{
	struct waymark_thread_list list;

	(void)state;
	assert_int_equal(waymark_list_threads(&list, NULL), 0);
	assert_int_equal(list.count, 0);
	waymark_free_threads(&list);
	waymark_free_threads(&list);
}

static pthread_barrier_t barrier;
static uint32_t named_tid;

static void *be_named(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "a fifteen long!");
	named_tid = (uint32_t)syscall(SYS_gettid);
	for (int i = 0; i < 30; i++) {
		trace_other(i);
	}
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void threads_have_names_and_become_one_when_they_end(void **state)
{
	struct waymark_thread_list list;
	pthread_t t;

	(void)state;
	waymark_enable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
	trace_counted(1); /* by both backends */
	pthread_create(&t, NULL, be_named, NULL);
	pthread_barrier_wait(&barrier);
	assert_int_equal(waymark_list_threads(&list, NULL), 0);
	assert_int_equal(list.count, 2);
	const struct waymark_thread_info *other = find(&list, named_tid);

	assert_non_null(other);
	assert_string_equal(other->name, "a fifteen long!");
	assert_int_equal(other->recorded, 30);
	assert_int_equal(other->bytes, 30 * EVENT_BYTES);
	assert_int_equal(other->lost, 0);
	assert_non_null(find(&list, (uint32_t)getpid()));
	assert_int_equal(find(&list, (uint32_t)getpid())->recorded, 2);
	waymark_free_threads(&list);
	pthread_barrier_wait(&barrier);
	pthread_join(t, NULL);
	assert_int_equal(waymark_list_threads(&list, NULL), 0);
	assert_null(find(&list, named_tid));
	assert_non_null(find(&list, 0));
	assert_int_equal(find(&list, 0)->recorded, 30);
	assert_string_equal(find(&list, 0)->name, "");
	waymark_free_threads(&list);
	assert_sum_is_total();
}

/* Returns the event's entry in the list of events. */
static struct waymark_event_info info_of(const char *name)
{
	struct waymark_event_list list;

	assert_int_equal(waymark_list_events(name, &list, NULL), 0);
	assert_int_equal(list.count, 1);
	struct waymark_event_info info = list.events[0];

	waymark_free_events(&list);
	return info;
}

static enum waymark_counting counting(void)
{
	struct waymark_stats stats;

	waymark_get_stats(&stats);
	return (enum waymark_counting)stats.counting;
}

static void single_events_are_counted_while_that_is_on(void **state)
{
	(void)state;
	waymark_flush(NULL);
	assert_int_equal(info_of("other").recorded, 0);
	assert_int_equal(counting(), WAYMARK_COUNTING_NOT_YET); /* a list is no switch */
	assert_int_equal(waymark_count_events(true, NULL), 0);
	assert_int_equal(counting(), WAYMARK_COUNTING_ON);
	for (int i = 0; i < 10; i++) {
		trace_other(i);
	}
	trace_counted(1); /* by both backends */
	waymark_flush(NULL);
	assert_int_equal(info_of("other").recorded, 10);
	assert_int_equal(info_of("other").bytes, 10 * EVENT_BYTES);
	assert_int_equal(info_of("other").lost, 0);
	assert_int_equal(info_of("counted").recorded, 2);
}

static void counting_is_switched_by_an_option(void **state)
{
	struct waymark_error error;

	(void)state;
	assert_int_equal(waymark_configure("stats=off", &error), 0);
	assert_int_equal(counting(), WAYMARK_COUNTING_OFF);
	trace_other(1);
	waymark_flush(NULL);
	assert_int_equal(info_of("other").recorded, 10);
	assert_int_equal(waymark_configure("stats=on", &error), 0);
	assert_int_equal(counting(), WAYMARK_COUNTING_ON);
	assert_int_equal(waymark_configure("stats=maybe", &error), -1);
	assert_string_equal(error.text, "stats=: 'maybe' is not one of on, off");
}

#define RUNNERS 8
#define RUNS 125
#define RUN_EVENTS 200

static void *run_once(void *arg)
{
	(void)arg;
	for (int i = 0; i < RUN_EVENTS; i++) {
		trace_other(i);
	}
	return NULL;
}

static void *run_many(void *arg)
{
	(void)arg;
	for (int i = 0; i < RUNS; i++) {
		pthread_t t;

		pthread_create(&t, NULL, run_once, NULL);
		pthread_join(t, NULL);
	}
	return NULL;
}

static bool done;

static void *look(void *arg)
{
	struct waymark_thread_info before = { 0 };
	static char no_list[] = "no list", back[] = "a number went back";
	struct waymark_thread_list list;
	uint64_t *looks = arg;

	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		if (waymark_list_threads(&list, NULL) < 0) {
			return no_list;
		}
		struct waymark_thread_info sum = sum_of(&list);

		if (sum.recorded < before.recorded || sum.lost < before.lost ||
			sum.bytes < before.bytes) {
			return back;
		}
		before = sum;
		waymark_free_threads(&list);
		++*looks;
	}
	return NULL;
}

static void a_thousand_threads_are_listed_while_they_come_and_go(void **state)
{
	pthread_t runners[RUNNERS], looker;
	struct waymark_stats before, after;
	uint64_t looks = 0;

	(void)state;
	waymark_get_stats(&before);
	pthread_create(&looker, NULL, look, &looks);
	for (int i = 0; i < RUNNERS; i++) {
		pthread_create(&runners[i], NULL, run_many, NULL);
	}
	for (int i = 0; i < RUNNERS; i++) {
		pthread_join(runners[i], NULL);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	void *fault;

	pthread_join(looker, &fault);
	assert_ptr_equal(fault, NULL);
	waymark_get_stats(&after);
	assert_true(looks > 0);
	assert_int_equal(after.recorded + after.lost - before.recorded - before.lost,
		RUNNERS * RUNS * RUN_EVENTS);
	assert_sum_is_total();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_was_recorded_yet),
		cmocka_unit_test(threads_have_names_and_become_one_when_they_end),
		cmocka_unit_test(single_events_are_counted_while_that_is_on),
		cmocka_unit_test(counting_is_switched_by_an_option),
		cmocka_unit_test(a_thousand_threads_are_listed_while_they_come_and_go),
	};

	if (enter_folder(NULL)) {
		return 1;
	}
	pid_t child = fork(); /* its output at exit goes to a separate file */
	int status = 1;

	if (child == 0) {
		pthread_barrier_init(&barrier, NULL, 2);
		waymark_set_output("ctf", "trace", NULL);
		waymark_set_output("simple", "simple", NULL);
		return cmocka_run_group_tests(tests, NULL, NULL);
	}
	waitpid(child, &status, 0);
	return leave_folder(NULL) || status;
}
