/* SPDX-License-Identifier: MIT */
/*
 * paced THREADS STEPS PAUSE_US [WHAT]: threads that record their steps, with a pause
 * after each (0: none, -N: of 1 ms after N of them). Prints a line with the number of
 * events when all threads have finished. WHAT is done then, unless it says otherwise:
 *
 *	fork      before: a child does the same
 *	late      another event is switched on, and recorded
 *	stay      the program does not end
 *	rest      the same, and in the middle each thread records nothing for a while
 *	asked     lines on standard input say which thread records, and how many steps more, of
 *		  all that it may; "recorded" is printed when it has
 *	turn=FILE[:FILE...] in the middle: the trace goes to other files, one after another;
 *		  then "turned" is printed
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
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
static uint64_t progress; /* the first thread's steps, relaxed */
static uint64_t rest_at = UINT64_MAX;
static long pause_us;

static void wait_a_while(long us)
{
	const struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	if (us) {
		nanosleep(&time, NULL);
	}
}

static sem_t asked[THREADS_MAX];
static sem_t done;
static bool is_asked;

static void *record(void *thread)
{
	for (uint64_t i = 0; i < steps; i++) {
		if (is_asked) {
			sem_wait(&asked[(uintptr_t)thread]);
		}
		trace_step((uint32_t)(uintptr_t)thread, i);
		if (!thread) {
			__atomic_store_n(&progress, i + 1, __ATOMIC_RELAXED);
		}
		if (pause_us > 0 || (pause_us < 0 && i % (uint64_t)-pause_us == 0)) {
			wait_a_while(pause_us > 0 ? pause_us : 1000);
		}
		if (i == rest_at) {
			wait_a_while(300000);
		}
		if (is_asked) {
			sem_post(&done);
		}
	}
	return NULL;
}

static void ask(uintptr_t count)
{
	unsigned long thread, more;

	while (scanf("%lu %lu", &thread, &more) == 2 && thread < count) {
		for (unsigned long i = 0; i < more; i++) {
			sem_post(&asked[thread]);
		}
		for (unsigned long i = 0; i < more; i++) {
			sem_wait(&done);
		}
		puts("recorded");
		fflush(stdout);
	}
	exit(EXIT_SUCCESS);
}

static void turn_in_the_middle(char *files)
{
	while (__atomic_load_n(&progress, __ATOMIC_RELAXED) < steps / 2) {
		wait_a_while(100);
	}
	for (char *file = strtok(files, ":"); file; file = strtok(NULL, ":")) {
		if (waymark_set_output("ctf", file, NULL) != 0 || waymark_flush(NULL) != 0) {
			exit(EXIT_FAILURE);
		}
	}
	puts("turned");
	fflush(stdout);
}

static void record_all(uintptr_t count, char *turn)
{
	static pthread_t threads[THREADS_MAX];

	for (uintptr_t i = 0; i < count; i++) {
		if (pthread_create(&threads[i], NULL, record, (void *)i)) {
			perror("pthread_create");
			exit(EXIT_FAILURE);
		}
	}
	if (is_asked) {
		ask(count);
	}
	if (turn) {
		turn_in_the_middle(turn);
	}
	for (uintptr_t i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
}

int main(int argc, char **argv)
{
	uintptr_t count = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
	char none[] = "";
	char *what = argc > 4 ? argv[4] : none;

	if (count < 1 || count > THREADS_MAX) {
		fputs("usage: paced THREADS STEPS PAUSE_US [WHAT]\n", stderr);
		return EXIT_FAILURE;
	}
	steps = strtoull(argv[2], NULL, 10);
	pause_us = strtol(argv[3], NULL, 10);
	pid_t child = strcmp(what, "fork") == 0 ? fork() : -1;

	is_asked = strcmp(what, "asked") == 0;
	for (uintptr_t i = 0; i < count; i++) {
		sem_init(&asked[i], 0, 0);
	}
	sem_init(&done, 0, 0);
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
