/* SPDX-License-Identifier: MIT */
/*
 * lossy TURNS: jobs of one slot, the first ten without losses. Then, in each turn, one in whose
 * time events are lost, at once followed by a shorter one, whose begin mostly is lost with the end
 * before. Prints the number of the first ones, and the nanoseconds that all but the long ones took.
 * Then each line of standard input is a trace to go on in, with ten jobs more, and is answered.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <waymark/control.h>

#include "trace-lossy.h"

#define CALM 10u
#define LONG_US 50000
#define SHORT_US 5000

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t lost(void)
{
	struct waymark_stats stats = { 0 };

	waymark_get_stats(&stats);
	return stats.lost;
}

static void lose_some(void)
{
	uint64_t before = lost();

	while (lost() == before) {
		for (uint64_t i = 0; i < 20000; i++) {
			trace_noise(i);
		}
	}
}

/* Returns the time that the job took, at least. */
static uint64_t job(void)
{
	uint64_t begin = now_ns();

	trace_job_begin(1);
	usleep(SHORT_US);
	trace_job_end(1);
	return now_ns() - begin;
}

static void turn_to(char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (waymark_set_output("ctf", line, NULL) != 0) {
		exit(EXIT_FAILURE);
	}
	for (unsigned int i = 0; i < CALM; i++) {
		job();
	}
	puts("turned");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 0;
	uint64_t sum = 0;
	char line[4096];

	for (unsigned int i = 0; i < CALM; i++) {
		sum += job();
	}
	for (int i = 0; i < turns; i++) {
		trace_job_begin(1);
		usleep(LONG_US);
		lose_some();
		trace_job_end(1);
		sum += job();
		usleep(LONG_US);
	}
	printf("%u %" PRIu64 "\n", CALM, sum);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		turn_to(line);
	}
	return EXIT_SUCCESS;
}
