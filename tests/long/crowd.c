/* SPDX-License-Identifier: MIT */
/*
 * crowd SECONDS THREADS FORK-MS [SNAPSHOT-MS]: THREADS threads at a time, which start, record
 * events of all kinds with pauses, and end; forked children in between, with threads of their own.
 *
 * Prints the number of recorded events of each kind, a line for each process when it ends:
 *
 *	child|parent PID crowd_number=N ...
 *	snapshot NAME		of the parent, in the current directory
 *	incomplete NAME TEXT	a missing or partial snapshot; the rest stays in memory
 *	failed TEXT
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

#include <waymark/category.h>
#include <waymark/control.h>
#include <waymark/scope.h>

#include "trace-long.h"

#define CATEGORIES(C) C(Crowd, true, "threads that come and go")
WAYMARK_CATEGORIES(CATEGORIES);

#define CHILD_THREADS 4
#define STACK_BYTES (64u << 10)
#define KINDS(K)        \
	K(crowd_number) \
	K(crowd_text) K(crowd_long) K(crowd_debug) K(crowd_work) K(marked) K(threads)

#define KIND(name) KIND_##name,
enum { KINDS(KIND) KINDS_COUNT };
#undef KIND

#define KIND(name) #name,
static const char *const names[] = { KINDS(KIND) };
#undef KIND

/* Counts of this process, including all of its ended threads. */
static uint64_t counted[KINDS_COUNT];

/* The number of further threads that may run. */
static sem_t room;
static pthread_key_t leaving;

struct one {
	uint64_t counted[KINDS_COUNT];
	uint64_t random;
};

static uint64_t any(struct one *o, uint64_t below)
{
	o->random = o->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (o->random >> 33) % below;
}

static void pause_ms(uint64_t ms)
{
	nanosleep(&(struct timespec){ (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 }, NULL);
}

static void record_text(struct one *o, uint64_t n)
{
	char text[4096];
	size_t length = any(o, 16) ? any(o, 40) : any(o, sizeof(text));

	memset(text, 'a' + (int)(n % 26), length);
	text[length] = '\0';
	trace_crowd_text(n, text);
	o->counted[KIND_crowd_text]++;
	if (length > 100) {
		trace_crowd_long(text);
		o->counted[KIND_crowd_long]++;
	}
}

static void record_all(struct one *o, uint64_t n)
{
	TRACE_CROWD_WORK_SCOPE(n);
	o->counted[KIND_crowd_work]++;
	trace_crowd_number(n, (uint32_t)n);
	o->counted[KIND_crowd_number]++;
	trace_crowd_debug(n, waymark_debug_u32((uint32_t)n));
	o->counted[KIND_crowd_debug]++;
	record_text(o, n);
	WAYMARK_INSTANT(Crowd, "mark", n);
	o->counted[KIND_marked]++;
}

/* Runs as the last destructor: it fires events, too, and only then allows a new thread. */
static void leave(void *one)
{
	struct one *o = one;

	trace_crowd_number(UINT64_MAX, 0);
	o->counted[KIND_crowd_number]++;
	o->counted[KIND_threads]++;
	for (int i = 0; i < KINDS_COUNT; i++) {
		__atomic_add_fetch(&counted[i], o->counted[i], __ATOMIC_RELAXED);
	}
	free(o);
	sem_post(&room);
}

static void *live(void *one)
{
	struct one *o = one;
	uint64_t rounds = any(o, 12);

	pthread_setspecific(leaving, o);
	for (uint64_t i = 0; i < rounds; i++) {
		record_all(o, i);
		pause_ms(any(o, 150));
	}
	return NULL;
}

static void start(uint64_t number)
{
	struct one *o = calloc(1, sizeof(*o));
	pthread_attr_t attributes;
	pthread_t id;

	o->random = number * UINT64_C(0x9e3779b97f4a7c15);
	sem_wait(&room);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&id, &attributes, live, o)) {
		perror("pthread_create");
		_exit(2);
	}
	pthread_attr_destroy(&attributes);
}

static void wait_for_all(unsigned int threads)
{
	for (unsigned int i = 0; i < threads; i++) {
		sem_wait(&room);
	}
}

static void say(const char *who)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "%s %d", who, (int)getpid());

	for (int i = 0; i < KINDS_COUNT; i++) {
		n += snprintf(line + n, sizeof(line) - (size_t)n, " %s=%lu", names[i],
			(unsigned long)counted[i]);
	}
	puts(line);
	fflush(stdout);
}

/* In the child, the parent's threads do not exist. */
static void be_child(uint64_t number)
{
	memset(counted, 0, sizeof(counted));
	sem_init(&room, 0, CHILD_THREADS);
	for (uint64_t i = 0; i < 2 * CHILD_THREADS; i++) {
		start(number * 100 + i);
	}
	wait_for_all(CHILD_THREADS);
	say("child");
	exit(0);
}

static void end_children(int how)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, how)) > 0) {
		if (status) {
			printf("failed child %d: status 0x%x\n", (int)pid, status);
		}
	}
}

static void fork_one(uint64_t number)
{
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		be_child(number);
	}
	if (pid < 0) {
		perror("fork");
		_exit(2);
	}
	end_children(WNOHANG);
}

static void snapshot(uint64_t number)
{
	struct waymark_error error;
	char name[64];

	snprintf(name, sizeof(name), "snapshot-%05lu", (unsigned long)number);
	if (waymark_snapshot_to(name, &error)) {
		printf("incomplete %s %s\n", name, error.text);
	} else {
		printf("snapshot %s\n", name);
	}
	fflush(stdout);
}

/* Calls `what` with 1, 2, ... at an interval in milliseconds. */
struct now_and_then {
	void (*what)(uint64_t number);
	uint64_t every_ms; /* 0: never */
	uint64_t times;
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void look(struct now_and_then *n, uint64_t passed_ms)
{
	if (n->every_ms && passed_ms >= n->every_ms * (n->times + 1)) {
		n->times = passed_ms / n->every_ms;
		n->what(n->times);
	}
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fputs("usage: crowd SECONDS THREADS FORK-MS [SNAPSHOT-MS]\n", stderr);
		return 2;
	}
	uint64_t ms = strtoull(argv[1], NULL, 10) * 1000;
	unsigned int threads = (unsigned int)atoi(argv[2]);
	struct now_and_then forks = { fork_one, strtoull(argv[3], NULL, 10), 0 };
	struct now_and_then snapshots = { snapshot, argv[4] ? strtoull(argv[4], NULL, 10) : 0, 0 };
	uint64_t begin = now_ms();

	sem_init(&room, 0, threads);
	pthread_key_create(&leaving, leave);
	for (uint64_t i = 1; now_ms() - begin < ms; i++) {
		start(i);
		look(&forks, now_ms() - begin);
		look(&snapshots, now_ms() - begin);
	}
	wait_for_all(threads);
	end_children(0);
	say("parent");
	return 0;
}
