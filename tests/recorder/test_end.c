/* SPDX-License-Identifier: MIT */
/*
 * Events survive the end of a process: exit(), quick_exit(), a crash, in any thread.
 * Checks that QEMU's fault 3 (events before an abort are lost) is absent.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "rt/sink/sink.h"

#define EVENTS 100

static void record(void)
{
	waymark_sink_simple.set_file("end", false, NULL);
	for (uint64_t i = 0; i < EVENTS; i++) {
		trace_pair(1, i);
	}
}

static void check_end(unsigned int events)
{
	struct trace t;

	read_trace(&t, "end", 0);
	assert_int_equal(check_order(&t, 1), events);
	trace_free(&t);
	unlink("end");
}

static void die_by(int sig)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	record();
	if (sig == SIGABRT) {
		abort();
	}
	if (sig == SIGSEGV) {
		volatile uintptr_t nowhere = 8;

		*(volatile int *)nowhere = 1;
	}
	raise(sig);
}

static void die_by_abort(void)
{
	die_by(SIGABRT);
}

static void die_by_fault(void)
{
	die_by(SIGSEGV);
}

static void die_by_raise(void)
{
	die_by(SIGFPE);
}

static void fault_3_a_crash_loses_nothing(void **state)
{
	(void)state;
	if (UNDER_TSAN) {
		skip_because(SKIP_TSAN);
	}
	assert_int_equal(WTERMSIG(run(die_by_abort)), SIGABRT);
	check_end(EVENTS);
	if (!faults_can_be_sent()) {
		print_message("not tried: SIGSEGV, as " SKIP_FAULT "\n");
	} else {
		assert_int_equal(WTERMSIG(run(die_by_fault)), SIGSEGV);
		check_end(EVENTS);
	}
	assert_int_equal(WTERMSIG(run(die_by_raise)), SIGFPE);
	check_end(EVENTS);
}

static void *abort_here(void *unused)
{
	(void)unused;
	trace_pair(1, EVENTS);
	abort();
}

static void abort_in_a_thread_inside_an_event(void)
{
	struct waymark_record r;
	pthread_t t;

	record();
	waymark_record_begin(&r, WAYMARK_RECORDER_SIMPLE, &event_pair, 32);
	pthread_create(&t, NULL, abort_here, NULL);
	pthread_join(t, NULL);
}

static void a_crash_in_any_thread_loses_nothing(void **state)
{
	(void)state;
	if (UNDER_TSAN) {
		skip_because(SKIP_TSAN);
	}
	assert_int_equal(WTERMSIG(run(abort_in_a_thread_inside_an_event)), SIGABRT);
	check_end(EVENTS + 1);
}

static void own_handler(int sig)
{
	(void)sig;
	waymark_recorder_flush();
	_exit(42);
}

static void die_with_an_own_handler(void)
{
	signal(SIGABRT, own_handler);
	record();
	abort();
}

static void the_programs_own_handler_stays_in_charge(void **state)
{
	(void)state;
	assert_int_equal(WEXITSTATUS(run(die_with_an_own_handler)), 42);
	check_end(EVENTS);
}

static void die_with_crash_signals_off(void)
{
	struct sigaction now;

	waymark_recorder_set_crash_signals(false);
	record();
	sigaction(SIGABRT, NULL, &now);
	_exit(now.sa_handler == SIG_DFL ? 7 : 8);
}

static void crash_handlers_can_be_switched_off(void **state)
{
	(void)state;
	assert_int_equal(WEXITSTATUS(run(die_with_crash_signals_off)), 7);
	unlink("end");
}

static void *exit_here(void *unused)
{
	(void)unused;
	exit(0);
}

static void exit_from_a_thread(void)
{
	pthread_t t;

	record();
	pthread_create(&t, NULL, exit_here, NULL);
	for (;;) {
		pause();
	}
}

static void leave_quickly(void)
{
	record();
	quick_exit(0);
}

static void every_regular_exit_drains(void **state)
{
	(void)state;
	assert_int_equal(run(record), 0);
	check_end(EVENTS);
	assert_int_equal(run(exit_from_a_thread), 0);
	check_end(EVENTS);
	assert_int_equal(run(leave_quickly), 0);
	check_end(EVENTS);
}

static int record_late;

/*
 * Destructors: one has the default priority and runs before the recorder's, the other runs after
 * it.
 */
__attribute__((destructor)) static void early_destructor(void)
{
	if (record_late) {
		trace_pair(1, EVENTS);
	}
}

__attribute__((destructor(101))) static void last_destructor(void)
{
	if (record_late == 2) {
		trace_pair(1, EVENTS + 1);
		sleep_ms(30);
	}
}

static void record_in_destructors(void)
{
	record_late = 1;
	record();
}

static void record_in_the_last_destructor(void)
{
	record_late = 2;
	record();
}

static void events_of_destructors_are_written(void **state)
{
	(void)state;
	assert_int_equal(run(record_in_destructors), 0);
	check_end(EVENTS + 1);
	assert_int_equal(run(record_in_the_last_destructor), 0);
	check_end(EVENTS + 2);
}

static void record_and_leave_at_once(void)
{
	record();
	sleep_ms(50);
	wait_for_size("end", 24 + EVENTS * 48); /* on a busy machine it takes longer */
	_exit(0);
}

static void a_program_that_lives_50_ms_longer_needs_no_exit(void **state)
{
	(void)state;
	assert_int_equal(run(record_and_leave_at_once), 0);
	check_end(EVENTS);
}

static void record_without_a_writer(void)
{
	struct rlimit one = { 1, 1 };

	if (setgid(65534) || setuid(65534)) {
		exit(77);
	}
	setrlimit(RLIMIT_NPROC, &one);
	record();
}

static void without_a_thread_events_are_written_at_exit(void **state)
{
	char said[1024];

	(void)state;
	if (getuid() || UNDER_SANITIZER) {
		skip_because("only root becomes a user who may start no thread");
	}
	assert_int_equal(chmod(".", 0777), 0);
	assert_int_equal(run_and_listen(record_without_a_writer, said, sizeof(said)), 0);
	assert_non_null(strstr(said, "cannot start a thread"));
	check_end(EVENTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fault_3_a_crash_loses_nothing),
		cmocka_unit_test(a_crash_in_any_thread_loses_nothing),
		cmocka_unit_test(the_programs_own_handler_stays_in_charge),
		cmocka_unit_test(crash_handlers_can_be_switched_off),
		cmocka_unit_test(every_regular_exit_drains),
		cmocka_unit_test(events_of_destructors_are_written),
		cmocka_unit_test(a_program_that_lives_50_ms_longer_needs_no_exit),
		cmocka_unit_test(without_a_thread_events_are_written_at_exit),
	};

	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
