/* SPDX-License-Identifier: MIT */
/*
 * aggregate-program CALLS [THREADS [WHAT [FD]]]: each thread fires `submit` and `complete`
 * CALLS times, with values that follow from the thread and the number of the call, as calls_of() in
 * aggregates.py computes them. WHAT:
 *
 *	wait     waits for a line on standard input before it ends
 *	kill     goes on for ever; the file FD has how many calls of each thread have returned
 *	signals  a timer's handler fires `complete`, too; prints how many times
 *	change   another thread removes and adds `aggregate complete count by op` meanwhile
 *	fork     a child does it
 *	crash    ends by abort()
 *	_exit    ends by _exit()
 *	odd      fires `odd` and `complete` with values that are hard to add up and to show, once
 *	daemon   is `wait` in a child
 *	forks    a timer's handler forks a child, which fires `complete` once and ends
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>

#include "trace-aggregate.h"

#define THREADS_MAX 64

static uint64_t calls;
static uint64_t handled; /* signals */
static const char *what;
static bool running = true;
static uint64_t *done; /* by thread, shared with the test, which reads it after a kill */

static void call(uint64_t thread, uint64_t n)
{
	static const char *const disks[] = { "vda", "vdb", "a \"b\", c" };
	uint64_t io = thread << 32 | n;

	trace_submit(io, (int)(n % 3));
	trace_complete(io, (int)(n % 3), (uint32_t)(n * 7919 % 100000), (int64_t)(n % 201) - 100,
		disks[n % 3]);
}

static void *fire(void *arg)
{
	uint64_t thread = (uintptr_t)arg;
	bool is_endless = strcmp(what, "kill") == 0;

	for (uint64_t n = 0; n < calls || is_endless; n++) {
		call(thread, n);
		__atomic_store_n(&done[thread], n + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void in_handler(int sig)
{
	(void)sig;
	trace_complete(0, 5, 1, 1, "handler");
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED); /* any thread gets the signal */
}

static void begin_signals(void (*handler)(int sig), long us)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, us }, { 0, us } };

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Fractions; then texts as keys: none, empty, equal in their first 200 bytes, no UTF-8. */
static void fire_odd(void)
{
	static const double parts[] = { 1.5, -2.25, 1e300, 0 };
	char texts[2][202];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		trace_odd(parts[i], (waymark_i128){ 0 }, i ? i : UINT64_MAX);
	}
	for (size_t i = 0; i < 2; i++) {
		memset(texts[i], 'x', sizeof(texts[i]) - 1);
		texts[i][sizeof(texts[i]) - 2] = (char)('a' + i);
		texts[i][sizeof(texts[i]) - 1] = '\0';
		trace_complete(0, 0, 0, -5, texts[i]);
	}
	trace_complete(0, 0, 0, -5, NULL);
	trace_complete(0, 0, 0, -5, "");
	trace_complete(0, 0, 0, -5, "\xff\xfe");
}

static void fork_in_handler(int sig)
{
	(void)sig;
	if (fork() == 0) {
		trace_complete(0, 5, 1, 1, "child");
		_exit(0);
	}
}

static void *change(void *unused)
{
	static const char text[] = "aggregate complete count by op";

	(void)unused;
	while (__atomic_load_n(&running, __ATOMIC_RELAXED)) {
		if (waymark_disable(text, WAYMARK_ANY_BACKEND, NULL, NULL) ||
			waymark_enable(text, WAYMARK_ANY_BACKEND, NULL, NULL)) {
			fprintf(stderr, "'%s' was refused\n", text);
			exit(1);
		}
	}
	return NULL;
}

static void run(uint64_t threads)
{
	pthread_t ids[THREADS_MAX], changer;
	bool changes = strcmp(what, "change") == 0;

	if (changes) {
		pthread_create(&changer, NULL, change, NULL);
	}
	if (strcmp(what, "signals") == 0) {
		begin_signals(in_handler, 100);
	}
	if (strcmp(what, "forks") == 0) {
		begin_signals(fork_in_handler, 1000);
	}
	for (uintptr_t i = 1; i < threads; i++) {
		pthread_create(&ids[i], NULL, fire, (void *)i);
	}
	fire(NULL);
	for (uint64_t i = 1; i < threads; i++) {
		pthread_join(ids[i], NULL);
	}
	__atomic_store_n(&running, false, __ATOMIC_RELAXED);
	if (changes) {
		pthread_join(changer, NULL);
	}
}

int main(int argc, char **argv)
{
	uint64_t threads = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	calls = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	what = argc > 3 ? argv[3] : "";
	done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | (argc > 4 ? 0 : MAP_ANONYMOUS),
		argc > 4 ? atoi(argv[4]) : -1, 0);
	if (done == MAP_FAILED || threads > THREADS_MAX) {
		perror("mmap");
		return 1;
	}
	if (strcmp(what, "fork") == 0 || strcmp(what, "daemon") == 0) {
		call(0, 0);
		if (fork() > 0) {
			wait(NULL);
			return 0;
		}
	}
	if (strcmp(what, "odd") == 0) {
		fire_odd();
	}
	run(threads);
	signal(SIGALRM, SIG_IGN);
	printf("%llu\n", (unsigned long long)handled);
	fflush(stdout);
	if (strcmp(what, "wait") == 0 || strcmp(what, "daemon") == 0) {
		getchar();
	}
	while (strcmp(what, "forks") == 0 && wait(NULL) > 0) {
	}
	if (strcmp(what, "crash") == 0) {
		abort();
	}
	if (strcmp(what, "_exit") == 0) {
		_exit(0);
	}
	return 0;
}
