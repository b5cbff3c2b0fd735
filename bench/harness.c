/* SPDX-License-Identifier: MIT */
/* Arguments, clocks, threads and medians of all benchmarks: see harness.h. */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define LANES_MAX 64u
#define CALIBRATION_NS 50e6
#define READINGS 100000
#define STEP_MAX 4096u

static char **arguments;

void bench_init(int argc, char **argv)
{
	arguments = argv + (argc > 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

const char *bench_text(const char *key, const char *otherwise)
{
	size_t length = strlen(key);

	for (char **a = arguments; *a; a++) {
		if (strncmp(*a, key, length) == 0 && (*a)[length] == '=') {
			return *a + length + 1;
		}
	}
	return otherwise;
}

uint64_t bench_number(const char *key, uint64_t otherwise)
{
	const char *text = bench_text(key, NULL);
	char *end;

	if (!text) {
		return otherwise;
	}
	uint64_t value = strtoull(text, &end, 10);

	if (end == text || *end) {
		bench_fail("%s=%s is no number", key, text);
	}
	return value;
}

__attribute__((format(printf, 2, 0))) static _Noreturn void end(
	int status, const char *fmt, va_list args)
{
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	exit(status);
}

void bench_fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	end(EXIT_FAILURE, fmt, args);
}

void bench_skip(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	end(77, fmt, args);
}

void bench_result(const char *name, double value)
{
	printf("%s %.12g\n", name, value);
}

static double read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double bench_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

double bench_thread_cpu(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double bench_process_cpu(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_ticks_per_ns(void)
{
	double begin = bench_now();
	uint64_t ticks = bench_ticks();
	double end;

	do {
		end = bench_now();
	} while (end - begin < CALIBRATION_NS);
	return (double)(bench_ticks() - ticks) / (end - begin);
}

uint64_t bench_clock_step(void)
{
	unsigned int seen[STEP_MAX] = { 0 };
	uint64_t before = bench_ticks();

	for (int i = 0; i < READINGS; i++) {
		uint64_t now = bench_ticks();
		uint64_t difference = now - before;

		seen[difference < STEP_MAX ? difference : 0]++;
		before = now;
	}
	for (unsigned int step = 1; step < STEP_MAX; step++) {
		if (seen[step] > READINGS / 100) {
			return step;
		}
	}
	return 1;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), ascending);
	return values[count / 2];
}

struct thread {
	pthread_t id;
	pthread_barrier_t *begin;
	void (*run)(void *lane);
	void *lane;
	int processor; /* -1: not pinned */
};

static void pin(int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	/* Without the right to do so, the thread runs on any processor. */
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *thread_main(void *context)
{
	struct thread *t = context;

	if (t->processor >= 0) {
		pin(t->processor);
	}
	pthread_barrier_wait(t->begin);
	t->run(t->lane);
	return NULL;
}

void bench_threads(unsigned int lanes, void (*run)(void *lane), void *context, size_t size)
{
	struct thread threads[LANES_MAX];
	pthread_barrier_t begin;
	bool pinned = bench_number("pin", 1);
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (lanes == 0 || lanes > LANES_MAX) {
		bench_fail("threads=%u: 1 to %u are possible", lanes, LANES_MAX);
	}
	pthread_barrier_init(&begin, NULL, lanes);
	for (unsigned int i = 0; i < lanes; i++) {
		threads[i] = (struct thread){ .begin = &begin,
			.run = run,
			.lane = (char *)context + i * size,
			.processor = pinned ? (int)(i % processors) : -1 };
		if (pthread_create(&threads[i].id, NULL, thread_main, &threads[i])) {
			bench_fail("cannot create a thread");
		}
	}
	for (unsigned int i = 0; i < lanes; i++) {
		pthread_join(threads[i].id, NULL);
	}
	pthread_barrier_destroy(&begin);
}
