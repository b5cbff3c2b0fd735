/* SPDX-License-Identifier: MIT */
/*
 * storm THREADS STEPS exit|fork|abort: threads record as fast as they can. With fork, a child does
 * the same at the same time. With abort, the program calls abort() when its threads have ended.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "trace-e2e.h"

#define THREADS_MAX 64

static uint64_t steps;

static void *record(void *thread)
{
	for (uint64_t i = 0; i < steps; i++) {
		trace_storm_step((uint32_t)(uintptr_t)thread, i);
	}
	return NULL;
}

static void storm_begin(pthread_t *threads, uintptr_t count)
{
	for (uintptr_t i = 0; i < count; i++) {
		if (pthread_create(&threads[i], NULL, record, (void *)i)) {
			perror("pthread_create");
			exit(EXIT_FAILURE);
		}
	}
}

static void storm_end(pthread_t *threads, uintptr_t count)
{
	for (uintptr_t i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
}

static int storm_in_child(uintptr_t count)
{
	pthread_t threads[THREADS_MAX];
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		storm_begin(threads, count);
		storm_end(threads, count);
		exit(EXIT_SUCCESS);
	}
	return child < 0 || waitpid(child, &status, 0) < 0 || status ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	uintptr_t count = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
	int status = EXIT_SUCCESS;

	if (count < 1 || count > THREADS_MAX) {
		fputs("usage: storm THREADS STEPS exit|fork|abort\n", stderr);
		return EXIT_FAILURE;
	}
	steps = strtoull(argv[2], NULL, 10);
	storm_begin(threads, count);
	if (strcmp(argv[3], "fork") == 0) {
		status = storm_in_child(count);
	}
	storm_end(threads, count);
	if (strcmp(argv[3], "abort") == 0) {
		abort();
	}
	return status;
}
