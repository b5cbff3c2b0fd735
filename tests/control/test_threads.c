/* SPDX-License-Identifier: MIT */
/*
 * Four threads switch patterns while four others fire events and a ninth registers
 * and unregisters objects: the last switch counts, and no thread waits forever.
 * ThreadSanitizer runs this test, too.
 */
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>

#include "events.h"
#include "made.h"
#include "unit.h"

#define SWITCHES 2000
#define FIRERS 4
#define SWITCHERS 4

#define BOTH (WAYMARK_LOG | WAYMARK_SIMPLE)

EVENT(one_a, BOTH, 1)
EVENT(one_b, BOTH, 2)
EVENT(two_a, BOTH, 3)
EVENT(two_b, BOTH, 4)
EVENT_LIST(&waymark_event_one_a, &waymark_event_one_b, &waymark_event_two_a, &waymark_event_two_b)

static bool done;

static void *fire(void *arg)
{
	(void)arg;
	for (int i = 0; !__atomic_load_n(&done, __ATOMIC_RELAXED); i++) {
		trace_one_a(i);
		trace_one_b(i);
		trace_two_a(i);
		trace_two_b(i);
	}
	return NULL;
}

/* Each switcher has its own pattern, and finally switches it on. */
static void *switch_pattern(void *arg)
{
	const char *pattern = arg;

	for (int i = 0; i < SWITCHES; i++) {
		waymark_enable(pattern, WAYMARK_ANY_BACKEND, NULL, NULL);
		waymark_disable(pattern, i & 1 ? WAYMARK_LOG : WAYMARK_SIMPLE, NULL, NULL);
	}
	waymark_enable(pattern, WAYMARK_SIMPLE, NULL, NULL);
	waymark_disable(pattern, WAYMARK_LOG, NULL, NULL);
	return NULL;
}

static void *come_and_go(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		made_gone(made_registered("one_%d", 10, BOTH));
	}
	return NULL;
}

static void start(pthread_t *thread, void *(*body)(void *), void *arg)
{
	assert_int_equal(pthread_create(thread, NULL, body, arg), 0);
}

static void last_switch_of_a_pattern_counts(void **state)
{
	static const char *const patterns[SWITCHERS] = { "one_a", "one_b", "two_?", "three_*" };
	pthread_t firers[FIRERS];
	pthread_t switchers[SWITCHERS];
	pthread_t comer;

	(void)state;
	waymark_set_output_on("log", false, NULL, NULL);
	waymark_configure("file=/dev/null", NULL);
	done = false;
	for (int i = 0; i < FIRERS; i++) {
		start(&firers[i], fire, NULL);
	}
	start(&comer, come_and_go, NULL);
	for (int i = 0; i < SWITCHERS; i++) {
		start(&switchers[i], switch_pattern, (void *)patterns[i]);
	}
	for (int i = 0; i < SWITCHERS; i++) {
		pthread_join(switchers[i], NULL);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	for (int i = 0; i < FIRERS; i++) {
		pthread_join(firers[i], NULL);
	}
	pthread_join(comer, NULL);
	assert_int_equal(waymark_get_state(&waymark_event_one_a), WAYMARK_SIMPLE);
	assert_int_equal(waymark_get_state(&waymark_event_one_b), WAYMARK_SIMPLE);
	assert_int_equal(waymark_get_state(&waymark_event_two_a), WAYMARK_SIMPLE);
	assert_int_equal(waymark_get_state(&waymark_event_two_b), WAYMARK_SIMPLE);
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
	assert_int_equal(waymark_get_state(&waymark_event_two_b), 0);
}

static void *switch_all_the_time(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		waymark_enable("two_?", WAYMARK_LOG, NULL, NULL);
	}
	return NULL;
}

/* Another thread may hold the lock at the moment of the fork. */
static void child_of_a_fork_can_control(void **state)
{
	pthread_t switcher;

	(void)state;
	done = false;
	start(&switcher, switch_all_the_time, NULL);
	for (int i = 0; i < 100; i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			alarm(60);
			waymark_enable("one_a", WAYMARK_LOG, NULL, NULL);
			_exit(waymark_get_state(&waymark_event_one_a) == WAYMARK_LOG ? 0 : 1);
		}
		waitpid(pid, &status, 0);
		assert_int_equal(status, 0);
		assert_int_equal(waymark_get_state(&waymark_event_one_a), 0);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(switcher, NULL);
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_switch_of_a_pattern_counts),
		cmocka_unit_test(child_of_a_fork_can_control),
	};

	return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
