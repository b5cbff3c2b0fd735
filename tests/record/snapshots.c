/* SPDX-License-Identifier: MIT */
/*
 * snapshots OPTION THREADS WORD...: a flight recorder whose threads record at full
 * speed. The words:
 *
 *	=DIR    waymark_snapshot_to(DIR); prints the number of steps of each thread before,
 *	        then "DIR" or the error; on standard error, "DIR: lost N" since the last one
 *	.       waymark_snapshot()
 *	+DIR    waymark_set_output("ctf", DIR)
 *	wait    sleeps for 50 ms
 *	fill    waits for more steps than 1 MiB holds
 *	twice   two threads write four snapshots each, TWICE-<thread>-<n>
 *	fork    a child continues with the words; the parent waits for it and exits
 *	full    limits files to 64 KiB from now on
 *	roomy   removes that limit
 *	kill    kill -9
 *	stop    ends the threads; prints the number of their steps
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>

#include "trace-record.h"

#define THREADS_MAX 16u

static uint64_t done[THREADS_MAX];
static pthread_t threads[THREADS_MAX];
static unsigned int count;
static bool stopped;

static void *record(void *thread)
{
	unsigned int t = (unsigned int)(uintptr_t)thread;

	for (uint64_t i = 0; !__atomic_load_n(&stopped, __ATOMIC_RELAXED); i++) {
		trace_step(t, i);
		__atomic_store_n(&done[t], i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void print_done(const char *what)
{
	printf("%s", what);
	for (unsigned int i = 0; i < count; i++) {
		printf(" %lu", (unsigned long)__atomic_load_n(&done[i], __ATOMIC_ACQUIRE));
	}
	puts("");
	fflush(stdout);
}

static void say(int result, const char *path, const struct waymark_error *error)
{
	puts(result == 0 ? path : error->text);
	fflush(stdout);
}

/* Prints the lost steps of all threads. A trace that ends before them does not count them. */
static void say_lost(const char *path)
{
	static uint64_t told;
	struct waymark_stats stats;

	waymark_get_stats(&stats);
	fprintf(stderr, "%s: lost %lu\n", path, (unsigned long)(stats.lost - told));
	told = stats.lost;
}

static void snapshot(const char *path)
{
	struct waymark_error error = { "not emptied" };

	print_done("before");
	int result = waymark_snapshot_to(path, &error);

	if (result == 0 && error.text[0]) {
		abort();
	}
	say(result, path, &error);
	say_lost(path);
}

static void *snapshot_four(void *who)
{
	for (int i = 0; i < 4; i++) {
		struct waymark_error error;
		char path[32];

		snprintf(path, sizeof(path), "twice-%s-%d", (const char *)who, i);
		say(waymark_snapshot_to(path, &error), path, &error);
	}
	return NULL;
}

static void twice(void)
{
	static char names[2][2] = { "a", "b" };
	pthread_t t[2];

	for (int i = 0; i < 2; i++) {
		pthread_create(&t[i], NULL, snapshot_four, names[i]);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], NULL);
	}
}

static void limit(rlim_t bytes)
{
	struct rlimit l = { bytes, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &l);
}

static void stop(void)
{
	__atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
	print_done("all");
}

static void go_on_in_child(void)
{
	int status;
	pid_t child = fork();

	if (child > 0) {
		waitpid(child, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	trace_step(0, 1000000); /* of the child's only thread */
}

static uint64_t done_by_all(void)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < count; i++) {
		all += __atomic_load_n(&done[i], __ATOMIC_ACQUIRE);
	}
	return all;
}

/* A step takes more than 16 bytes. */
static void fill(void)
{
	uint64_t wanted = done_by_all() + (1u << 20) / 16;

	while (done_by_all() < wanted) {
		usleep(1000);
	}
}

static const struct {
	const char *word;
	void (*what)(void);
} words[] = {
	{ "twice", twice },
	{ "stop", stop },
	{ "fork", go_on_in_child },
	{ "fill", fill },
};

static void obey(const char *word)
{
	struct waymark_error error = { "" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].word, word) == 0) {
			words[i].what();
		}
	}
	if (word[0] == '=') {
		snapshot(word + 1);
	} else if (word[0] == '+') {
		say(waymark_set_output("ctf", word + 1, &error), word, &error);
	} else if (strcmp(word, ".") == 0) {
		say(waymark_snapshot_to(NULL, &error), word, &error);
	} else if (strcmp(word, "wait") == 0) {
		usleep(50000);
	} else if (strcmp(word, "full") == 0) {
		limit(65536);
	} else if (strcmp(word, "roomy") == 0) {
		limit(RLIM_INFINITY);
	} else if (strcmp(word, "kill") == 0) {
		kill(getpid(), SIGKILL);
	}
}

int main(int argc, char **argv)
{
	struct waymark_error error;

	if (argc < 3 || waymark_configure(argv[1], &error) < 0) {
		fprintf(stderr, "%s\n", argc < 3 ? "usage: snapshots OPTION..." : error.text);
		return EXIT_FAILURE;
	}
	count = (unsigned int)atoi(argv[2]);
	for (uintptr_t i = 0; i < count && i < THREADS_MAX; i++) {
		pthread_create(&threads[i], NULL, record, (void *)i);
	}
	for (unsigned int i = 0; i < count; i++) {
		while (!__atomic_load_n(&done[i], __ATOMIC_ACQUIRE)) {
			usleep(1000);
		}
	}
	for (int i = 3; i < argc; i++) {
		obey(argv[i]);
	}
	return EXIT_SUCCESS;
}
