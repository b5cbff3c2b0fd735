/* SPDX-License-Identifier: MIT */
/*
 * limit-program COUNTS THREADS CALLS [change|handlers]: each thread fires CALLS events `limited`,
 * and `finished` after each tenth; for ever if CALLS is 0. Counts in the file COUNTS, as 64-bit
 * numbers, the calls of each thread that have returned: first of `limited`, then of `finished`.
 * With `change`, another thread changes the limits meanwhile; with `handlers`, a signal handler
 * fires `limited`, too, which is counted after the threads.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <waymark/control.h>

#include "trace-limit.h"

#define OBJECTS 1000
#define THREADS_MAX 8

struct counts {
	uint64_t limited[THREADS_MAX];
	uint64_t finished[THREADS_MAX];
	uint64_t in_handlers;
};

static struct counts *counts;
static pthread_barrier_t together; /* so that no thread continues where another one ended */
static uint64_t calls;
static int running;

static void count(uint64_t *number)
{
	__atomic_store_n(number, *number + 1, __ATOMIC_RELAXED);
}

static void *fire(void *number)
{
	size_t thread = (size_t)(uintptr_t)number;

	pthread_barrier_wait(&together);
	for (uint64_t k = 0; calls == 0 || k < calls; k++) {
		uint32_t io = (uint32_t)(k / 10 % OBJECTS);

		trace_limited(io, k);
		count(&counts->limited[thread]);
		if (k % 10 == 9) {
			trace_finished(io, "thread");
			count(&counts->finished[thread]);
		}
	}
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	pthread_barrier_wait(&together);
	return NULL;
}

static void in_handler(int sig)
{
	(void)sig;
	trace_limited(0, 0);
	__atomic_fetch_add(&counts->in_handlers, 1, __ATOMIC_RELAXED);
}

static void change_limits(void)
{
	static const char *const rules[] = { "limited every=3", "limited rate=1000/s",
		"limited sample=1/4 by io", "limited first=100",
		"limited every=2 if k % 2 == 0 || k % 2 == 1", "limited" };

	for (size_t i = 0; __atomic_load_n(&running, __ATOMIC_ACQUIRE); i++) {
		const char *rule = rules[i % (sizeof(rules) / sizeof(rules[0]))];

		if (waymark_enable(rule, WAYMARK_ANY_BACKEND, NULL, NULL)) {
			fprintf(stderr, "'%s' was refused\n", rule);
			exit(1);
		}
		usleep(500);
	}
}

static void start_handlers(void)
{
	const struct itimerval every = { { 0, 200 }, { 0, 200 } };
	struct sigaction act = { .sa_handler = in_handler, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	int fd = argc < 4 ? -1 : open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(*counts))) {
		fputs("usage: limit-program COUNTS THREADS CALLS [change|handlers]\n", stderr);
		return 2;
	}
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	calls = strtoull(argv[3], NULL, 10);
	running = atoi(argv[2]);
	pthread_barrier_init(&together, NULL, running ? (unsigned int)running : 1);
	for (int i = 0, n = running; i < n; i++) {
		pthread_create(&threads[i], NULL, fire, (void *)(uintptr_t)i);
	}
	if (argc > 4 && strcmp(argv[4], "change") == 0) {
		change_limits();
	} else if (argc > 4) {
		start_handlers();
	}
	for (int i = 0, n = atoi(argv[2]); i < n; i++) {
		pthread_join(threads[i], NULL);
	}
	signal(SIGALRM, SIG_IGN);
	return 0;
}
