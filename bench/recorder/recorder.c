/* SPDX-License-Identifier: MIT */
/*
 * What recording costs with the backend `simple`: an accepted event against
 * the floor (read the cycle counter, store 24 bytes) in the same run, ten
 * million events flat out with what was lost of them, and the writer's speed;
 * beside it a line of the backend `log`.
 * Usage: bench-recorder [DIRECTORY-FOR-THE-FILE [ROUNDS]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <waymark/control.h>
#include <waymark/record.h>

#include "trace-recorder.h"

#define FLAT_OUT UINT64_C(10000000)
#define LINES UINT64_C(200000)
#define BURST 2000u
#define BURSTS 400u
#define ROUNDS_MAX 101

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *floor_at;

__attribute__((noinline)) static void floor_store(uint64_t a, uint64_t b)
{
	struct waymark_cursor c = { .cycles = 1 };
	uint64_t words[3] = { waymark_clock(&c) << 16 | 1, a, b };

	memcpy(floor_at, words, sizeof(words));
	floor_at += sizeof(words);
}

__attribute__((noinline)) static void fire(uint64_t a, uint64_t b)
{
	trace_pair(a, b);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Nanoseconds an event, the median of bursts with time for the writer in between. */
static double cost(void (*store)(uint64_t, uint64_t), char *area)
{
	double ns[BURSTS];

	for (unsigned int i = 0; i < BURSTS; i++) {
		floor_at = area;
		double since = seconds();

		for (uint64_t k = 0; k < BURST; k++) {
			store(k, k * 3);
		}
		ns[i] = (seconds() - since) * 1e9 / BURST;
		waymark_flush(NULL);
	}
	qsort(ns, BURSTS, sizeof(ns[0]), ascending);
	return ns[BURSTS / 2];
}

struct result {
	double floor, accepted; /* ns an event */
	double flat_out; /* ns an event, of the producer */
	double written; /* million events a second, until all is in the file */
	double lost; /* percent */
	double log; /* ns a line, to a file */
};

/* Lines of text, one write each. */
static double log_cost(const char *path)
{
	char name[600];

	snprintf(name, sizeof(name), "%s.log", path);
	waymark_disable("pair", WAYMARK_SIMPLE, NULL, NULL);
	if (waymark_set_output("log", name, NULL) ||
		waymark_enable("pair", WAYMARK_LOG, NULL, NULL)) {
		return -1;
	}
	double since = seconds();

	for (uint64_t i = 0; i < LINES; i++) {
		fire(i, i * 3);
	}
	double ns = (seconds() - since) * 1e9 / LINES;

	unlink(name);
	return ns;
}

static void measure(const char *path, struct result *r)
{
	struct waymark_stats stats;
	struct waymark_error error;
	char *area = malloc(BURST * 24);

	memset(area, 1, BURST * 24);
	if (waymark_set_output("simple", path, &error) ||
		waymark_enable("pair", WAYMARK_SIMPLE, NULL, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	r->floor = cost(floor_store, area);
	r->accepted = cost(fire, area);
	waymark_get_stats(&stats);
	uint64_t before = stats.recorded;
	double since = seconds();

	for (uint64_t i = 0; i < FLAT_OUT; i++) {
		fire(i, i * 3);
	}
	r->flat_out = (seconds() - since) * 1e9 / FLAT_OUT;
	waymark_flush(NULL);
	waymark_get_stats(&stats);
	r->written = (double)(stats.recorded - before) / (seconds() - since) / 1e6;
	r->lost = (double)stats.lost * 100.0 / FLAT_OUT;
	r->log = log_cost(path);
	free(area);
}

/* A process for each round: each begins with memory that nobody has touched. */
static void measure_afresh(const char *path, struct result *r)
{
	int ends[2];

	if (pipe(ends)) {
		exit(1);
	}
	pid_t pid = fork();

	if (pid == 0) {
		measure(path, r);
		_exit(write(ends[1], r, sizeof(*r)) != sizeof(*r));
	}
	close(ends[1]);
	if (read(ends[0], r, sizeof(*r)) != sizeof(*r)) {
		exit(1);
	}
	close(ends[0]);
	waitpid(pid, NULL, 0);
}

static void print(const char *what, const struct result *r, size_t offset, int rounds)
{
	double v[ROUNDS_MAX];

	for (int i = 0; i < rounds; i++) {
		memcpy(&v[i], (const char *)&r[i] + offset, sizeof(v[i]));
	}
	qsort(v, (size_t)rounds, sizeof(v[0]), ascending);
	printf("%-44s median %8.2f   min %8.2f   max %8.2f\n", what, v[rounds / 2], v[0],
		v[rounds - 1]);
}

int main(int argc, char **argv)
{
	static struct result r[ROUNDS_MAX];
	int rounds = argc > 2 ? atoi(argv[2]) : 9;
	char path[512];

	rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
	snprintf(path, sizeof(path), "%s/bench-recorder-%d", argc > 1 ? argv[1] : "/dev/shm",
		getpid());
	for (int i = 0; i < rounds; i++) {
		measure_afresh(path, &r[i]);
		unlink(path);
	}
	print("floor: clock and 24-byte store, ns", r, offsetof(struct result, floor), rounds);
	print("accepted event in bursts of 2000, ns", r, offsetof(struct result, accepted), rounds);
	print("10 M flat out, producer, ns an event", r, offsetof(struct result, flat_out), rounds);
	print("10 M flat out, in the file, M events/s", r, offsetof(struct result, written),
		rounds);
	print("10 M flat out, lost, %", r, offsetof(struct result, lost), rounds);
	print("backend log, a line to a file, ns", r, offsetof(struct result, log), rounds);
	return 0;
}
