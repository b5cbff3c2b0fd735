/* SPDX-License-Identifier: MIT */
/* Programs that run until they are killed: short threads, children, jailed or not. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/init.h>

#include "victim.h"

#define COMERS_MAX 64u
#define CHILDREN_AT_ONCE 3u

static pthread_key_t leaving;
static uint64_t events_of_one = 50;

static void last_words(void *thread)
{
	live_for((unsigned int)(uintptr_t)thread - 1, 3);
}

/* The number of events grows, so that threads end at any place in a packet. */
static void *come_and_go(void *thread)
{
	unsigned int t = (unsigned int)(uintptr_t)thread;

	pthread_setspecific(leaving, (char *)thread + 1); /* a destructor is not called for NULL */
	live_for(t, events_of_one + (lived(t) >> 6) % 256);
	return NULL;
}

static pthread_t start(unsigned int thread)
{
	pthread_t t;

	if (pthread_create(&t, NULL, come_and_go, (void *)(uintptr_t)thread)) {
		perror("pthread_create");
		_exit(2);
	}
	return t;
}

/*
 * comers THREADS [EVENTS]: THREADS threads at a time, each followed by another one that continues
 * with its number
 */
static void run_comers(char **argv)
{
	unsigned int count = (unsigned int)atoi(argv[0]);
	pthread_t threads[COMERS_MAX];

	if (argv[1]) {
		events_of_one = strtoull(argv[1], NULL, 10);
	}
	pthread_key_create(&leaving, last_words);
	for (unsigned int i = 0; i < count; i++) {
		threads[i] = start(i);
	}
	for (unsigned int i = 0;; i = (i + 1) % count) {
		pthread_join(threads[i], NULL);
		threads[i] = start(i);
	}
}

/* A child has two thread numbers. */
static void be_child(unsigned int first, bool with_thread)
{
	pthread_t other;

	if (with_thread) {
		other = start(first + 1);
	}
	live_for(first, first % 7 * 1000);
	if (with_thread) {
		pthread_join(other, NULL);
	}
	if (first % 4 == 1) {
		exit(0);
	}
	_exit(0);
}

/*
 * family CHILDREN [jail]: forks children among the parent's events, one after the other, several
 * running at a time; then no more
 */
static void run_family(char **argv)
{
	unsigned int children = (unsigned int)atoi(argv[0]);
	bool jailed = argv[1] != NULL;

	pthread_key_create(&leaving, last_words);
	if (jailed && waymark_init()) {
		_exit(2);
	}
	for (unsigned int i = 0; i < children; i++) {
		live_for(0, 100);
		pid_t pid = fork();

		if (pid == 0) {
			be_child(1 + 2 * i, !jailed && i % 2);
		}
		if (pid < 0 || (i >= CHILDREN_AT_ONCE && wait(NULL) < 0)) {
			perror("fork");
			_exit(2);
		}
	}
	while (wait(NULL) > 0) {
	}
	live_for(0, 100);
	sleep_ms(20000);
}

/* again TIMES: executes itself TIMES times, then waits for the end of standard input */
static void run_again(char **argv)
{
	unsigned int times = (unsigned int)atoi(argv[0]);
	char self[] = "/proc/self/exe";
	char kind[] = "step", mode[] = "again", *counts = getenv("VICTIM_COUNTS");
	char left[16];
	char *next[] = { self, counts, kind, mode, left, NULL };

	live_for(times, 100);
	if (times > 0) {
		sprintf(left, "%u", times - 1);
		execv(self, next);
		_exit(5);
	}
	puts("recorded");
	fflush(stdout);
	if (getchar() == EOF) {
		live_for(times, 100);
	}
}

const struct mode modes_long[] = {
	{ "again", run_again },
	{ "comers", run_comers },
	{ "family", run_family },
	{ NULL, NULL },
};
