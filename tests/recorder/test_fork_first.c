/* SPDX-License-Identifier: MIT */
/*
 * A fork from a signal handler that interrupts a process's first event, which makes
 * the buffer, the file and the writer. A tracer single-steps the process and sends the
 * signal at each instruction; blocked signals arrive late, as without a tracer.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "rt/sink/sink.h"

static bool trace_in_handler;
static pid_t main_pid;

static void fork_at_once(int sig)
{
	(void)sig;
	pid_t pid = fork_calmly();

	if (pid == 0) {
		if (trace_in_handler) {
			trace_pair((uint64_t)getpid() + 1000, 0);
		}
		return;
	}
	wait_for(pid);
}

/*
 * Stops the traced process. If it forks before or after that, the child continues without
 * stopping.
 */
static void stop_main(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (getpid() == main_pid) {
		raise(SIGSTOP);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Fires the first event of a process, which the tracer interrupts; a new process for each step. */
static void fork_inside_first_event(void)
{
	signal(SIGUSR1, fork_at_once);
	waymark_sink_simple.set_file("forks", false, NULL);
	main_pid = getpid();
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) {
		exit(77);
	}
	raise(SIGSTOP);
	trace_pair(1, 0);
	stop_main();
	for (uint64_t i = trace_in_handler; getpid() != main_pid && i < 5; i++) {
		trace_pair((uint64_t)getpid() + 1000, i);
		sleep_ms(i == 1 ? 10 : 0); /* its writer looks meanwhile whose slot that is */
	}
	exit(0);
}

/* On i386 the kernel's page for system calls single-steps differently. */
#if defined(__i386__)
#define STEPS 0
#else
#define STEPS 1
#endif

/*
 * Lets the process execute `count` instructions between its two stops, then sends SIGUSR1, which
 * is delivered when it is not blocked. Returns false if the process has fewer instructions.
 */
static bool interrupt_after(pid_t pid, long count)
{
	int status;

	waitpid(pid, &status, 0);
	do {
		ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
		waitpid(pid, &status, 0);
	} while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP && count-- > 0);
	bool inside = WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;

	for (long sig = inside ? SIGUSR1 : 0; WIFSTOPPED(status);) {
		ptrace(PTRACE_CONT, pid, NULL, (void *)sig);
		waitpid(pid, &status, 0);
		sig = WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP ? WSTOPSIG(status) : 0;
	}
	assert_int_equal(status, 0);
	return inside;
}

/* A thread gets its slot in the first instructions: these are all tried. */
static long next_count(long count)
{
	return count + (count < 300 ? amount(3, 1) : amount(499, 7));
}

static void a_fork_inside_the_first_event_is_safe(void **state)
{
	unsigned int children = 0;
	bool interrupted = true;

	(void)state;
	for (long count = 0; interrupted; count = next_count(count)) {
		trace_in_handler = !trace_in_handler;
		fflush(NULL);
		pid_t pid = fork();

		if (pid == 0) {
			fork_inside_first_event();
		}
		interrupted = interrupt_after(pid, count);
		assert_int_equal(check_children(5, 1), interrupted);
		children += interrupted;
	}
	assert_true(children > 10);
}

static void try_to_trace(void)
{
	exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 77 : 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fork_inside_the_first_event_is_safe),
	};

	const char *why = UNDER_TSAN ? "under ThreadSanitizer"
			  : !STEPS   ? "on i386 the kernel's own page of calls steps otherwise"
			  : run(try_to_trace) ? "no process may be traced here, as under qemu-user"
					      : NULL;

	if (why) {
		printf("skipped: %s\n", why);
		return 77;
	}
	enter_directory();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	leave_directory();
	return failed;
}
