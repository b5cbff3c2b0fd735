/* SPDX-License-Identifier: MIT */
/*
 * requests MODE [N]: fires begins and ends of one kind for latency.py, which describes the modes.
 * Each mode is a function, and runs in its own process.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace-requests.h"

static int number = 1;

/* Begins and ends on different threads, one thread after the other. */
static void *finish(void *request)
{
	int i = (int)(intptr_t)request;

	if (i % 7 == 0) {
		trace_disk_reset_done(i, -1);
	} else {
		trace_disk_read_done(i, i % 3);
	}
	return NULL;
}

static void finish_elsewhere(int request)
{
	pthread_t thread;

	pthread_create(&thread, NULL, finish, (void *)(intptr_t)request);
	pthread_join(thread, NULL);
}

/* Up to 8 requests are open at one time. */
static void elsewhere(void)
{
	for (int i = 1; i <= number + 8; i++) {
		if (i <= number) {
			trace_cache_miss((uint64_t)i, i % 5);
		}
		if (i > 8) {
			finish_elsewhere(i - 8);
		}
	}
}

/* Two begins have no end, one end has no begin, one request begins twice. */
static void unbalanced(void)
{
	trace_cache_miss(1, 0);
	trace_cache_miss(2, 0);
	trace_cache_miss(3, 0);
	trace_cache_miss(3, 1);
	trace_disk_read_done(3, 0);
	trace_disk_read_done(9, 0);
	trace_disk_read_done(3, 0);
}

static void files(void)
{
	static char path[2][100000]; /* longer than a recorded string may be */

	memset(path[0], 'a', sizeof(path[0]) - 1);
	memset(path[1], 'a', sizeof(path[1]) - 1);
	path[1][sizeof(path[1]) - 2] = 'b'; /* differs only after the recorded part */
	trace_file_open("a \u00f6, \"c\"\302\233", 1);
	trace_file_open("a \u00f6, \"c\"\302\233", 2);
	trace_file_open("", 1);
	trace_file_open(NULL, 1);
	trace_file_open(path[0], 1);
	trace_file_opened(path[1], 1);
	trace_file_opened(NULL, 1);
	trace_file_opened("a \u00f6, \"c\"\302\233", 2);
	trace_file_opened("a \u00f6, \"c\"\302\233", 3);
	trace_file_opened("a b", 1);
}

/* Both processes have a request 1, and the child finishes a request of its parent. */
static void forked(void)
{
	trace_cache_miss(2, 0);
	pid_t child = fork();

	trace_cache_miss(1, 0);
	trace_disk_read_done(1, 0);
	if (child == 0) {
		trace_disk_read_done(2, 0);
		exit(EXIT_SUCCESS);
	}
	waitpid(child, NULL, 0);
}

/* Many events are lost, which explains the unpaired records. */
static void flood(void)
{
	for (int i = 1; i <= number; i++) {
		trace_cache_miss((uint64_t)i, 0);
		trace_disk_read_done(i, 0);
	}
}

/* All requests have one key; their numbers show which begin and end are of one. */
static void again(void)
{
	for (int i = 1; i <= number; i++) {
		trace_cache_miss(1, i);
		trace_disk_read_done(1, i);
	}
}

static void open_for_good(void)
{
	for (int i = 1; i <= number; i++) {
		trace_cache_miss((uint64_t)i, i);
	}
}

static void ticks(void)
{
	for (int i = 0; i < number; i++) {
		trace_tick(i / 2 * 0.1);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "elsewhere", elsewhere },
	{ "unbalanced", unbalanced },
	{ "files", files },
	{ "forked", forked },
	{ "flood", flood },
	{ "again", again },
	{ "open", open_for_good },
	{ "ticks", ticks },
};

int main(int argc, char **argv)
{
	number = argc > 2 ? atoi(argv[2]) : 1;
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run();
			return EXIT_SUCCESS;
		}
	}
	fputs("usage: requests MODE [N]\n", stderr);
	return EXIT_FAILURE;
}
