/* SPDX-License-Identifier: MIT */
/*
 * device WHAT CHILDREN EVENTS [STEP...]: a broker that forks device processes into jails.
 *
 * WHAT: plain, threads, signals, scopes, hang (records, then waits to be killed), first (the broker
 * records, too), list (checks the list of descriptors), pidns (in a pid namespace), late (an event
 * is switched on in the jail), forbidden (makes a forbidden system call), exit (calls exit()),
 * orphan (the broker exits at once), turns (one child after another), killed (the same, killed at
 * any moment; prints how much each had recorded), grandchild, refused (waymark_init() may fail),
 * overwrite (asks for full=overwrite after waymark_init()), together (threads call waymark_init()
 * at once). Each STEP is a step of jail_enter(); open is a jail of these steps alone. Prints
 * "ready" when the children have recorded.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/category.h>
#include <waymark/control.h>
#include <waymark/init.h>
#include <waymark/scope.h>

#include "device.h"

#ifndef TRACE_JAIL_H
#define TRACE_JAIL_H "trace-jail.h"
#endif
#include TRACE_JAIL_H

#define THREADS 8

#define CATEGORIES(C) C(Device, true, "what devices do")
WAYMARK_CATEGORIES(CATEGORIES);

static const char *what;
static uint64_t events;
static char **steps;
static int ready[2];

static bool is(const char *name)
{
	return strcmp(what, name) == 0;
}

static void tick(uint64_t from, uint64_t count)
{
	for (uint64_t i = from; i < from + count; i++) {
		trace_tick(i);
	}
}

static void *run_thread(void *arg)
{
	tick((uintptr_t)arg * events, events);
	return NULL;
}

static void on_signal(int sig)
{
	static int count;

	trace_note("signal", count++ + 0 * sig);
}

/* The program makes its threads before it closes the jail. */
static pthread_barrier_t closed;

static void *run_jailed_thread(void *arg)
{
	pthread_barrier_wait(&closed);
	return run_thread(arg);
}

static void run_threads(void)
{
	/* The C library needs these to end threads. */
	static const int more[] = { SYS_mprotect, SYS_set_robust_list, SYS_rseq };
	pthread_t threads[THREADS];

	pthread_barrier_init(&closed, NULL, THREADS + 1);
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, run_jailed_thread, (void *)i);
	}
	jail_close(more, sizeof(more) / sizeof(more[0]));
	pthread_barrier_wait(&closed);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
}

static void run_signals(void)
{
	struct itimerval every = { .it_interval = { 0, 100 }, .it_value = { 0, 100 } };

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &every, NULL);
	jail_close(NULL, 0);
	tick(0, events);
}

static void nest(uint64_t i)
{
	WAYMARK_SCOPE(Device, "outer (of two)", i);
	if (i % 2) {
		WAYMARK_SCOPE(Device, "inner", (const char *)"text");
		WAYMARK_COUNTER(Device, "in flight", i);
		WAYMARK_PRINT_IN(Device, "%d of %s", (int)i, "all");
	}
}

static void run_scopes(void)
{
	struct itimerval every = { .it_interval = { 0, 200 }, .it_value = { 0, 200 } };

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &every, NULL);
	jail_close(NULL, 0);
	for (uint64_t i = 0; i < events; i++) {
		nest(i);
	}
}

static void run_late(void)
{
	jail_close(NULL, 0);
	tick(0, events);
	waymark_enable("late", WAYMARK_CTF, NULL, NULL);
	trace_late(7);
	tick(0, events);
}

static void say_ready(void)
{
	if (write(STDIN_FILENO, "", 1) != 1) {
		die("cannot tell");
	}
}

static void run_child(void)
{
	for (char **step = steps; *step; step++) {
		jail_enter(*step);
	}
	if (is("threads")) {
		run_threads();
	} else if (is("signals")) {
		run_signals();
	} else if (is("scopes")) {
		run_scopes();
	} else if (is("late")) {
		run_late();
	} else if (is("open")) {
		tick(0, events);
	} else {
		static const int more[] = { SYS_pause, SYS_ppoll, SYS_fork, SYS_clone, SYS_wait4,
			SYS_set_robust_list };
		bool hangs = is("hang");

		jail_close(more, hangs ? 1 : is("grandchild") ? 6 : 0);
		if (is("grandchild") && fork() == 0) {
			tick(events, events);
			say_ready();
			_exit(0);
		}
		tick(0, events);
		if (is("forbidden")) {
			getppid();
		}
		if (is("grandchild")) {
			wait(NULL);
		}
		if (hangs) {
			say_ready();
			for (;;) {
				pause();
			}
		}
	}
	say_ready();
	if (is("exit") || is("open")) {
		exit(0);
	}
	_exit(0);
}

/* Each descriptor is listed once; without room for all of them, no descriptor is listed. */
static void check_list(void)
{
	int fds[100] = { 7 };
	size_t count = 1;
	size_t small = 1;

	if (waymark_push_descriptors(fds, &small, 1) == 0 || fds[0] != 7) {
		die("no room, and no error");
	}
	if (waymark_push_descriptors(fds, &count, 100) || count != small || count < 2) {
		die("%zu descriptors, then %zu", small, count);
	}
	if (waymark_push_descriptors(fds, &count, 100) || count != small) {
		die("listed twice: %zu, then %zu", small, count);
	}
	for (size_t i = 1; i < count; i++) {
		int flags = fcntl(fds[i], F_GETFD);

		if (flags < 0 || (fds[i] > 2 && !(flags & FD_CLOEXEC))) {
			die("descriptor %d has flags %d", fds[i], flags);
		}
	}
}

/* After waymark_init(), options that change the jail's memory are refused. */
static void ask_to_overwrite(void)
{
	static const char *const options[] = { "full=overwrite", "full=overwrite,snapshot=USR1",
		"buffer=2M", "jail=2" };
	struct waymark_error error;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (waymark_configure(options[i], &error) == 0 ||
			!strstr(error.text, "the jail exists already")) {
			die("%s: %s", options[i], error.text);
		}
	}
	tick(0, 1);
	if (waymark_snapshot_to("snapshot", &error) == 0 || !strstr(error.text, "in a jail")) {
		die("snapshot: %s", error.text);
	}
}

static void *init_and_list(void *start)
{
	int fds[100];
	size_t count = 0;

	pthread_barrier_wait(start);
	if (waymark_init() || waymark_push_descriptors(fds, &count, 100) || count < 2) {
		die("%zu descriptors", count);
	}
	return NULL;
}

/* Threads call waymark_init() at the same time: the jail is ready when each call returns. */
static void init_together(void)
{
	pthread_t threads[THREADS];
	pthread_barrier_t start;

	pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, init_and_list, &start);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
}

static void init(void)
{
	if (is("together")) {
		init_together();
	}
	if (waymark_init() && !is("refused")) {
		die("waymark_init() failed");
	}
	if (waymark_init() && !is("refused")) {
		die("and again");
	}
}

/* Kills children at any moment, two at a time; prints each child's number of events. */
static int kill_children(int children)
{
	uint64_t *done = mmap(NULL, sizeof(*done) * (size_t)children, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pids[2] = { 0 };

	srand((unsigned int)getpid());
	for (int i = 0; i < children + 2; i++) {
		pid_t *pid = &pids[i % 2];

		if (*pid) {
			usleep((useconds_t)rand() % 4000);
			kill(*pid, SIGKILL);
			waitpid(*pid, NULL, 0);
			printf("%d %d\n", (int)*pid, (int)done[i - 2]);
		}
		*pid = i < children ? fork() : 0;
		for (uint64_t n = 0; i < children && *pid == 0 && n < events; n++) {
			trace_tick(n);
			done[i] = n + 1;
		}
		if (i < children && *pid == 0) {
			_exit(0);
		}
	}
	return 0;
}

static int wait_for_all(void)
{
	int status;
	int result = 0;
	pid_t pid;

	while ((pid = wait(&status)) > 0) {
		if (status) {
			printf("%d: %s %d\n", (int)pid, WIFSIGNALED(status) ? "signal" : "exit",
				WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
			result = 1;
		}
	}
	return result;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		die("usage: device WHAT CHILDREN EVENTS [STEP...]");
	}
	what = argv[1];
	events = strtoull(argv[3], NULL, 10);
	steps = argv + 4;
	int children = atoi(argv[2]);
	char byte;

	init();
	if (is("killed")) {
		return kill_children(children);
	}
	if (pipe(ready) || dup2(ready[1], STDIN_FILENO) < 0) { /* all steps keep it */
		die("pipe");
	}
	if (is("first")) {
		tick(0, events);
	}
	if (is("list")) {
		check_list();
	}
	if (is("overwrite")) {
		ask_to_overwrite();
	}
	if (is("pidns") && unshare(CLONE_NEWPID)) { /* applies to the children */
		die("no namespace of processes");
	}
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			run_child();
		}
		printf("%d\n", (int)pid);
		if (is("turns")) { /* one child after another */
			waitpid(pid, NULL, 0);
		}
	}
	fflush(stdout);
	close(ready[1]);
	close(STDIN_FILENO); /* so that the pipe ends when all children have ended */
	for (int i = 0; !is("orphan") && i < children; i++) {
		if (read(ready[0], &byte, 1) != 1) {
			break;
		}
	}
	if (is("orphan")) {
		return 0;
	}
	puts("ready");
	fflush(stdout);
	return wait_for_all();
}
