/* SPDX-License-Identifier: MIT */
/*
 * busy THREADS PERIOD_US [TURNS]: each thread fires three events and a scope a turn, with a pause
 * between turns (0: none), until TURNS are done or standard input ends. Answers each line of
 * standard input with the time and the number of events so far, and with the median and the 99th
 * percentile of the nanoseconds that the events of a turn took since the last answer.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <waymark/category.h>
#include <waymark/scope.h>

#include "trace-busy.h"

#define BUSY_CATEGORIES(C) C(Disk, true, "turns")
WAYMARK_CATEGORIES(BUSY_CATEGORIES);

#define EVENTS_A_TURN 5u
#define COSTS 65536u

static struct timespec pause_time;
static long period_us;
static uint64_t turns = UINT64_MAX;
static atomic_uint_fast64_t events;
static atomic_uint running;
static uint32_t costs[COSTS]; /* of the first thread */
static atomic_uint cost_count;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void turn(uint64_t req)
{
	trace_busy_submit(req, req % 2);
	{
		WAYMARK_SCOPE(Disk, "größe");
		trace_busy_work(req);
	}
	trace_busy_done(req, 0);
}

static void *run(void *number)
{
	uint64_t thread = (uint64_t)(uintptr_t)number;
	char name[16];

	snprintf(name, sizeof(name), "läufer-%u", (unsigned int)thread);
	pthread_setname_np(pthread_self(), name);
	for (uint64_t n = 0; n < turns; n++) {
		uint64_t begin = thread == 1 && period_us ? now_ns() : 0;

		turn(thread << 40 | n);
		if (begin) {
			costs[atomic_fetch_add(&cost_count, 1) % COSTS] =
				(uint32_t)(now_ns() - begin);
		}
		atomic_fetch_add_explicit(&events, EVENTS_A_TURN, memory_order_relaxed);
		if (period_us) {
			nanosleep(&pause_time, NULL);
		}
	}
	if (atomic_fetch_sub(&running, 1) == 1) {
		close(STDIN_FILENO);
		exit(EXIT_SUCCESS);
	}
	return NULL;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void answer(void)
{
	static uint32_t sorted[COSTS];
	unsigned int count = atomic_exchange(&cost_count, 0);

	count = count < COSTS ? count : COSTS;
	for (unsigned int i = 0; i < count; i++) {
		sorted[i] = costs[i];
	}
	qsort(sorted, count, sizeof(*sorted), by_size);
	printf("%llu %llu %u %u\n", (unsigned long long)now_ns(),
		(unsigned long long)atomic_load(&events), count ? sorted[count / 2] : 0,
		count ? sorted[count / 100 * 99] : 0);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long threads = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	char line[16];

	if (threads < 1 || threads > 16) {
		fprintf(stderr, "usage: busy THREADS PERIOD_US [TURNS]\n");
		return 2;
	}
	period_us = strtol(argv[2], NULL, 10);
	pause_time = (struct timespec){ period_us / 1000000, period_us % 1000000 * 1000 };
	turns = argc > 3 ? strtoull(argv[3], NULL, 10) : turns;
	running = (unsigned int)threads;
	for (long i = 1; i <= threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, (void *)(uintptr_t)i) != 0) {
			return 1;
		}
	}
	while (fgets(line, sizeof(line), stdin)) {
		answer();
	}
	if (turns != UINT64_MAX) {
		pause();
	}
	return EXIT_SUCCESS;
}
