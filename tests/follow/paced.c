/* SPDX-License-Identifier: MIT */
/*
 * paced THREADS STEPS PAUSE_US [WHAT]: threads that record their steps, with a pause
 * behind each (0: none, -N: of 1 ms behind N of them). Prints a line with the number of
 * events when they are through; WHAT is done then:
 *
 *	fork      before: a child does the same
 *	late      another event is switched on, and recorded
 *	stay      the program does not end
 *	rest      the same, and in the middle each thread records nothing for a while
 *	turn=FILE in the middle: the trace goes to another file
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <waymark/control.h>

#include "trace-follow.h"

#define THREADS_MAX 1024

static uint64_t steps;
static uint64_t rest_at = UINT64_MAX;
static long pause_us;

static void wait_a_while(long us)
{
	const struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	if (us) {
		nanosleep(&time, NULL);
	}
}

static void *record(void *thread)
{
	for (uint64_t i = 0; i < steps; i++) {
		trace_step((uint32_t)(uintptr_t)thread, i);
		if (pause_us > 0 || (pause_us < 0 && i % (uint64_t)-pause_us == 0)) {
			wait_a_while(pause_us > 0 ? pause_us : 1000);
		}
		if (i == rest_at) {
			wait_a_while(300000);
		}
	}
	return NULL;
}

static void record_all(uintptr_t count, const char *turn)
{
	static pthread_t threads[THREADS_MAX];

	for (uintptr_t i = 0; i < count; i++) {
		if (pthread_create(&threads[i], NULL, record, (void *)i)) {
			perror("pthread_create");
			exit(EXIT_FAILURE);
		}
	}
	if (turn) {
		wait_a_while(pause_us * (long)steps / 2);
		if (waymark_set_output("ctf", turn, NULL) != 0) {
			exit(EXIT_FAILURE);
		}
	}
	for (uintptr_t i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
}

int main(int argc, char **argv)
{
	uintptr_t count = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
	const char *what = argc > 4 ? argv[4] : "";

	if (count < 1 || count > THREADS_MAX) {
		fputs("usage: paced THREADS STEPS PAUSE_US [WHAT]\n", stderr);
		return EXIT_FAILURE;
	}
	steps = strtoull(argv[2], NULL, 10);
	pause_us = strtol(argv[3], NULL, 10);
	pid_t child = strcmp(what, "fork") == 0 ? fork() : -1;

	if (strcmp(what, "rest") == 0) {
		rest_at = steps / 2;
	}
	record_all(count, strncmp(what, "turn=", 5) == 0 ? what + 5 : NULL);
	if (strcmp(what, "late") == 0) {
		waymark_configure("late", NULL);
		trace_late("on");
	}
	printf("recorded %llu\n", (unsigned long long)(count * steps));
	fflush(stdout);
	if (strcmp(what, "stay") == 0 || strcmp(what, "rest") == 0) {
		pause();
	}
	if (child > 0) {
		waitpid(child, NULL, 0);
	}
	return EXIT_SUCCESS;
}
