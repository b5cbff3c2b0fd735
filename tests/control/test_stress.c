/* SPDX-License-Identifier: MIT */
/*
 * Runs every call that changes events from eight threads, and snapshots by a signal: test_stress
 * [SECONDS]. An event that only one thread switches must keep that thread's state; events switched
 * by one call change together; the last call decides.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <trace/control.h>

#include "events.h"
#include "folder.h"
#include "made.h"
#include "unit.h"

#define ALL (WAYMARK_CTF | WAYMARK_SIMPLE | WAYMARK_LOG)

EVENT(own_set, ALL, 1)
EVENT(own_qemu, ALL, 2)
EVENT(own_glob, ALL, 3)
EVENT(own_regex, ALL, 4)
EVENT(own_option, ALL, 5)
EVENT(pair_a, ALL, 6)
EVENT(pair_b, ALL, 7)
EVENT(all_change, ALL, 8)
EVENT_LIST(&waymark_event_own_set, &waymark_event_own_qemu, &waymark_event_own_glob,
	&waymark_event_own_regex, &waymark_event_own_option, &waymark_event_pair_a,
	&waymark_event_pair_b, &waymark_event_all_change)

static bool done;
static unsigned int seconds = 1;
static unsigned long faults;
static unsigned long turns;

static void expect(bool ok)
{
	__atomic_fetch_add(&faults, !ok, __ATOMIC_RELAXED);
}

static void expect_state(const struct waymark_event *event, unsigned int state)
{
	expect(waymark_get_state(event) == state);
}

/* Each of these switches an event of its own, and an event that all of them switch. */
static void set_state(int i)
{
	unsigned int backends = i & 2 ? WAYMARK_LOG : WAYMARK_SIMPLE;

	waymark_set_state(&waymark_event_own_set, ALL, false, NULL);
	waymark_set_state(&waymark_event_own_set, backends, true, NULL);
	expect_state(&waymark_event_own_set, backends);
	waymark_set_state(&waymark_event_all_change, WAYMARK_CTF, i & 1, NULL);
}

static void set_state_dynamic(int i)
{
	trace_event_set_state_dynamic(&waymark_event_own_qemu, i & 1);
	expect_state(&waymark_event_own_qemu, i & 1 ? ALL : 0);
	trace_event_set_state_dynamic(&waymark_event_all_change, i & 2);
}

static void switch_globs(int i)
{
	(i & 1 ? waymark_enable : waymark_disable)("own_gl*", WAYMARK_LOG, NULL, NULL);
	expect_state(&waymark_event_own_glob, i & 1 ? WAYMARK_LOG : 0);
	(i & 2 ? waymark_enable : waymark_disable)("pair_?", ALL, NULL, NULL);
	(i & 4 ? waymark_enable : waymark_disable)("all*", ALL, NULL, NULL);
}

static void switch_expressions(int i)
{
	(i & 1 ? waymark_enable : waymark_disable)("/_reg[a-z]+$/", WAYMARK_CTF, NULL, NULL);
	expect_state(&waymark_event_own_regex, i & 1 ? WAYMARK_CTF : 0);
	(i & 2 ? waymark_enable : waymark_disable)("/^pair/", WAYMARK_LOG, NULL, NULL);
	trace_enable_events(i & 4 ? "all_change" : "-all_change");
}

static void configure(int i)
{
	waymark_configure(i & 1 ? "own_option,backend=simple+log,log.prefix=iso"
				: "-own_option,enable=-/^coming/,log.prefix=none",
		NULL);
	expect_state(&waymark_event_own_option, i & 1 ? WAYMARK_SIMPLE | WAYMARK_LOG : 0);
	waymark_configure(i & 2 ? "all_change,enable=pair_a,enable=pair_b,enable=coming*"
				: "-all_change,enable=-pair_?",
		NULL);
	expect(waymark_configure("own_set,enable=/(/", NULL) < 0);
}

static void list(int i)
{
	struct waymark_event_list list;
	const struct waymark_event_info *a = NULL;
	TraceEventIter iter;

	expect(waymark_list_events(i & 1 ? "/^(pair|coming)_/" : "*", &list, NULL) == 0);
	for (size_t k = 0; k < list.count; k++) {
		const struct waymark_event_info *e = &list.events[k];

		if (strcmp(e->name, "pair_a") == 0) {
			a = e;
		} else if (strcmp(e->name, "pair_b") == 0) {
			expect(a && a->state == e->state);
		}
	}
	expect(a);
	waymark_free_events(&list);
	trace_event_iter_init_pattern(&iter, "pair_*");
	expect(trace_event_iter_next(&iter) == &waymark_event_pair_a);
	waymark_get_output_status("ctf", NULL, 0);
}

static void come_and_go(int i)
{
	made_gone(made_registered("coming_%d", i % 50, ALL));
}

static void fire(int i)
{
	trace_own_set(i);
	trace_own_qemu(i);
	trace_pair_a(i);
	trace_pair_b(i);
	trace_all_change(i);
	if (i % 100 == 0) {
		kill(getpid(), SIGUSR2);
	}
}

static void *repeat(void *arg)
{
	void (*const *body)(int) = arg;

	for (int i = 0; !__atomic_load_n(&done, __ATOMIC_RELAXED); i++) {
		(*body)(i);
		__atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED);
		sched_yield();
	}
	return NULL;
}

/* In slices, because the signal for snapshots would end a sleep. */
static void wait_seconds(void)
{
	time_t end = time(NULL) + (time_t)seconds + 1;

	while (time(NULL) < end) {
		usleep(10000);
	}
}

static void changes_from_everywhere_are_whole(void **state)
{
	static void (*bodies[])(int) = { set_state, set_state_dynamic, switch_globs,
		switch_expressions, configure, list, come_and_go, fire };
	struct waymark_error error;
	pthread_t threads[8];

	(void)state;
	assert_int_equal(waymark_configure("full=overwrite,buffer=4M,snapshot=USR2,ctf.file=trace,"
					   "simple.file=simple,log.file=/dev/null",
				 &error),
		0);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, repeat, &bodies[i]), 0);
	}
	wait_seconds();
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	for (size_t i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
	}
	assert_int_equal(faults, 0);
	assert_true(turns > 100);
}

/* The last command counts, whatever happened before. */
static void last_command_decides(void **state)
{
	static const struct {
		const char *name;
		unsigned int on;
	} expected[] = { { "own_set", 0 }, { "own_qemu", 0 }, { "own_glob", WAYMARK_LOG },
		{ "own_regex", WAYMARK_LOG }, { "own_option", 0 }, { "pair_a", WAYMARK_LOG },
		{ "pair_b", 0 }, { "all_change", 0 } };
	struct waymark_event_list list;

	(void)state;
	assert_int_equal(waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL), 0);
	assert_int_equal(waymark_configure("/^own_(g|r)|_a$/,backend=log", NULL), 0);
	assert_int_equal(waymark_list_events(NULL, &list, NULL), 0);
	assert_int_equal(list.count, 8);
	for (size_t i = 0; i < 8; i++) {
		assert_string_equal(list.events[i].name, expected[i].name);
		assert_int_equal(list.events[i].state, expected[i].on);
	}
	waymark_free_events(&list);
	assert_int_equal(waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL), 0);
}

static int flush_and_leave(void **state)
{
	waymark_flush(NULL);
	return leave_folder(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_from_everywhere_are_whole),
		cmocka_unit_test(last_command_decides),
	};

	seconds = argc > 1 ? (unsigned int)atoi(argv[1]) : seconds;
	return cmocka_run_group_tests_name("stress", tests, enter_folder, flush_and_leave);
}
