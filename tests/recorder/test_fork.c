/* SPDX-License-Identifier: MIT */
/*
 * All forms of fork, at any moment. Checks that QEMU's fault 2 (a child's events are lost and its
 * exit hangs) is absent.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/step.h"
#include "support.h"
#include "rt/sink/sink.h"

#define CHILD_EVENTS 50
#define PAIR_SIZE 48u /* in the file */
#define FILE_HEADER 24u

static void record(uint64_t who, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		trace_pair(who, i);
	}
}

static pid_t raw_clone(void)
{
#if defined(__s390x__) /* the stack comes first */
	return (pid_t)syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0);
#else
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

static pid_t (*const forms[])(void) = { fork_calmly, raw_clone };

/*
 * Emulators and sanitizers support only the C library's fork: with others, their own locks stay
 * taken.
 */
#define FORMS (UNDER_EMULATOR || UNDER_SANITIZER ? 1u : 2u)

static int stop;
static int begun; /* the thread has started, and the sanitizer's work at its start is done */

/* Records at least one event, however soon it must stop. */
static void *record_meanwhile(void *who)
{
	uint64_t i = 0;

	__atomic_store_n(&begun, 1, __ATOMIC_RELAXED);
	do {
		trace_pair((uintptr_t)who, i++);
		usleep(20);
	} while (!__atomic_load_n(&stop, __ATOMIC_RELAXED));
	return NULL;
}

/* Forks children of every form, each with a file named after its pid. */
static void fork_many(void)
{
	unsigned int rounds = amount(20, 300);
	pthread_t t;

	waymark_sink_simple.set_file("forks", false, NULL);
	record(1, 10);
	pthread_create(&t, NULL, record_meanwhile, (void *)2);
	while (UNDER_SANITIZER && !__atomic_load_n(&begun, __ATOMIC_RELAXED)) {
		sleep_ms(1);
	}
	for (unsigned int i = 0; i < rounds * 2; i++) {
		pid_t pid = forms[i % FORMS]();

		if (pid == 0) {
			record((uint64_t)getpid() + 1000, CHILD_EVENTS);
			exit(0);
		}
		wait_for(pid);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
}

static void fault_2_children_write_their_own_file_and_exit(void **state)
{
	struct trace t;

	(void)state;
	if (UNDER_EMULATOR) {
		print_message("not tried: clone(2), where no memory is wiped\n");
	}
	assert_int_equal(run(fork_many), 0);
	assert_int_equal(check_children(CHILD_EVENTS, 0), 2 * amount(20, 300));
	read_trace(&t, "forks", 0);
	assert_int_equal(check_order(&t, 1), 10);
	assert_int_equal(check_order(&t, 2) + 10, t.events);
	trace_free(&t);
}

static void fork_generations(void)
{
	waymark_sink_simple.set_file("forks", false, NULL);
	for (int depth = 0; depth < 4; depth++) {
		record((uint64_t)getpid() + 1000, 10);
		pid_t pid = fork_calmly();

		if (pid) {
			wait_for(pid);
			return;
		}
	}
	record((uint64_t)getpid() + 1000, 10);
}

static void children_of_children_have_files_too(void **state)
{
	(void)state;
	assert_int_equal(run(fork_generations), 0);
	assert_int_equal(check_children(10, 0), 4);
}

extern char **environ;

static void spawn_and_vfork(void)
{
	char program[] = "true";
	char *argv[] = { program, NULL };
	pid_t pid;

	waymark_sink_simple.set_file("forks", false, NULL);
	trace_pair(1, 0);
	if (posix_spawnp(&pid, "true", NULL, NULL, argv, environ)) {
		exit(1);
	}
	wait_for(pid);
	trace_pair(1, 1);
	pid = vfork();
	if (pid == 0) {
		trace_pair(1, 2); /* into the parent's memory and stream */
		_exit(0);
	}
	wait_for(pid);
	trace_pair(1, 3);
	if (system("true")) {
		exit(2);
	}
	trace_pair(1, 4);
}

static void vfork_and_spawn_leave_the_parent_alone(void **state)
{
	struct trace t;

	(void)state;
	if (!vfork_shares_memory()) {
		skip_because(SKIP_VFORK);
	}
	assert_int_equal(run(spawn_and_vfork), 0);
	read_trace(&t, "forks", 0);
	assert_int_equal(check_order(&t, 1), 5);
	trace_free(&t);
}

static void fork_and_leave_soon(void)
{
	waymark_sink_simple.set_file("forks", false, NULL);
	trace_pair(1, 0);
	pid_t pid = fork_calmly();

	if (pid == 0) {
		char name[32];

		record((uint64_t)getpid() + 1000, 5);
		sleep_ms(50);
		snprintf(name, sizeof(name), "forks.%d", getpid());
		wait_for_size(
			name, FILE_HEADER + 5 * PAIR_SIZE); /* on a busy machine it takes longer */
		_exit(0);
	}
	wait_for(pid);
}

static void a_child_that_leaves_by__exit_after_50_ms_is_complete(void **state)
{
	(void)state;
	assert_int_equal(run(fork_and_leave_soon), 0);
	assert_int_equal(check_children(5, 0), 1);
}

static void fork_with_threads_in_the_child(void)
{
	waymark_sink_simple.set_file("forks", false, NULL);
	trace_pair(1, 0);
	pid_t pid = fork_calmly();

	if (pid == 0) {
		pthread_t t;

		__atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
		pthread_create(&t, NULL, record_meanwhile, (void *)((uintptr_t)getpid() + 2000));
		sleep_ms(5); /* the new thread's slot must not be the one this thread still has */
		record((uint64_t)getpid() + 1000, 3000);
		__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
		pthread_join(t, NULL);
		exit(0);
	}
	wait_for(pid);
	if (rename("forks", "parent") || system("mv forks.* child")) {
		exit(5);
	}
}

static void threads_of_a_child_do_not_meet_its_forking_thread(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(run(fork_with_threads_in_the_child), 0);
	read_trace(&t, "child", 0);
	uint64_t pid = t.records[0].pid;

	assert_int_equal(check_order(&t, pid + 1000), 3000);
	assert_true(check_order(&t, pid + 2000) > 0);
	trace_free(&t);
}

#if defined(__x86_64__) && !UNDER_TSAN

/* A handler at instruction `step` of an event forks; parent and child both continue. */
static volatile long step, steps;
static volatile bool trace_in_handler;
static pid_t main_pid;

static void trap(int sig, siginfo_t *info, void *context)
{
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

	(void)sig;
	(void)info;
	if (steps++ != step) {
		return;
	}
	pid_t pid = fork_calmly();

	if (pid == 0) {
		*flags &= ~(greg_t)0x100;
		if (trace_in_handler) {
			trace_pair((uint64_t)getpid() + 1000, 0);
		}
		return;
	}
	wait_for(pid);
}

/* Single-steps one event; returns false if it has fewer instructions than `step`. */
static bool stepped_event(uint64_t i)
{
	steps = 0;
	BEGIN_STEPS();
	trace_pair(1, i);
	END_STEPS();
	if (getpid() != main_pid) {
		uint64_t from = trace_in_handler ? 1 : 0;

		for (uint64_t k = from; k < 5; k++) {
			trace_pair((uint64_t)getpid() + 1000, k);
		}
		exit(0);
	}
	return steps > step;
}

static void fork_inside_events(void)
{
	struct sigaction act = { .sa_sigaction = trap, .sa_flags = SA_SIGINFO };
	uint64_t i = 0;

	sigaction(SIGTRAP, &act, NULL);
	waymark_sink_simple.set_file("forks", false, NULL);
	main_pid = getpid();
	trace_pair(1, i++);
	for (step = 0; stepped_event(i++); step++) {
	}
}

static void a_fork_from_a_handler_inside_an_event_is_safe(void **state)
{
	struct trace t;

	(void)state;
	for (int traced = 0; traced < 2; traced++) {
		trace_in_handler = traced;
		assert_int_equal(run(fork_inside_events), 0);
		assert_true(check_children(5, 1) > 20);
		read_trace(&t, "forks", 0);
		assert_true(check_order(&t, 1) > 20);
		trace_free(&t);
	}
}

#else

static void a_fork_from_a_handler_inside_an_event_is_safe(void **state)
{
	(void)state;
	skip_because(SKIP_STEPS);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fault_2_children_write_their_own_file_and_exit),
		cmocka_unit_test(children_of_children_have_files_too),
		cmocka_unit_test(vfork_and_spawn_leave_the_parent_alone),
		cmocka_unit_test(a_child_that_leaves_by__exit_after_50_ms_is_complete),
		cmocka_unit_test(threads_of_a_child_do_not_meet_its_forking_thread),
		cmocka_unit_test(a_fork_from_a_handler_inside_an_event_is_safe),
	};

	if (UNDER_TSAN) {
		puts("skipped: ThreadSanitizer remembers accesses to pages that fork has wiped");
		return 77;
	}
	if (FORMS == 1) {
		puts("left out: raw clone(), whose child finds an emulator's or sanitizer's locks taken");
	}
	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
