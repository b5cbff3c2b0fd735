/* SPDX-License-Identifier: MIT */
/*
 * nested THREADS SCOPES [signals]: THREADS threads, each with SCOPES scopes of two kinds, at most
 * eight deep; with `signals`, handlers also begin and end scopes. Prints the number of scopes.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "trace-scope.h"

#define DEPTH 8
#define THREADS_MAX 16

struct work {
	uint64_t left;
	uint64_t random;
};

static uint64_t in_handlers;

static uint64_t next_random(struct work *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

static void nest(struct work *w, unsigned int depth);

static void inside(struct work *w, unsigned int depth)
{
	while (depth < DEPTH && w->left > 0 && next_random(w) % 3) {
		nest(w, depth + 1);
	}
}

static void nest(struct work *w, unsigned int depth)
{
	w->left--;
	if (next_random(w) & 1) {
		TRACE_INIT_RAM_SCOPE();
		inside(w, depth);
	} else {
		TRACE_RESERVE_SCOPE(depth);
		inside(w, depth);
	}
}

static void *run(void *arg)
{
	struct work *w = arg;

	while (w->left > 0) {
		nest(w, 1);
	}
	return NULL;
}

static void interrupt(int sig)
{
	(void)sig;
	TRACE_RESERVE_SCOPE(0);
	TRACE_INIT_RAM_SCOPE();
	__atomic_fetch_add(&in_handlers, 2, __ATOMIC_RELAXED);
}

static void interrupt_often(void)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 50 }, { 0, 50 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void interrupt_no_more(void)
{
	struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct work work[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	size_t count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t scopes = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	bool signals = argc > 3 && strcmp(argv[3], "signals") == 0;

	if (count == 0 || count > THREADS_MAX) {
		fputs("usage: nested THREADS SCOPES [signals]\n", stderr);
		return EXIT_FAILURE;
	}
	if (signals) {
		interrupt_often();
	}
	for (size_t i = 0; i < count; i++) {
		work[i] = (struct work){ scopes, UINT64_C(88172645463325252) + i };
		pthread_create(&threads[i], NULL, run, &work[i]);
	}
	for (size_t i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
	if (signals) {
		interrupt_no_more();
	}
	printf("%llu\n", (unsigned long long)(count * scopes + in_handlers));
	return EXIT_SUCCESS;
}
