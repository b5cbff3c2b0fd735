/* SPDX-License-Identifier: MIT */
/*
 * A program with four vCPUs, each of which counts its rounds of all events: vcpus [run].
 * With `run` they are threads that fire all the time, and it prints "ready" first. It
 * reads commands from standard input until that ends:
 *
 *	NUMBER     each vCPU in turn fires NUMBER rounds
 *	plug       adds a vCPU
 *	unplug N   removes vCPU N
 *	cpus       prints the vCPUs' pointers
 *	rounds     prints two numbers of each vCPU: rounds begun, rounds ended
 *
 * and answers the others by "fired " and the line.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <waymark/vcpu.h>

#include "trace-vcpu.h"

#define FIRST 4
#define MOST 8
#define BURST 8

struct CPUState {
	pthread_t thread;
	uint32_t index;
	uint64_t begun; /* relaxed */
	uint64_t ended; /* relaxed */
};

static struct CPUState cpus[MOST];
static int count;
static int over; /* relaxed */

static void fire(struct CPUState *cpu)
{
	uint64_t n = cpu->begun + 1;

	__atomic_store_n(&cpu->begun, n, __ATOMIC_SEQ_CST);
	trace_mem_access(cpu, cpu->index, n);
	trace_disk_done(cpu->index, n);
	trace_mem_fault(cpu, cpu->index, n);
	__atomic_store_n(&cpu->ended, n, __ATOMIC_SEQ_CST);
}

static void *run(void *argument)
{
	const struct timespec pause = { 0, 20000 };

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		for (int i = 0; i < BURST; i++) {
			fire(argument);
		}
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void fire_in_turn(int rounds)
{
	for (int i = 0; i < count; i++) {
		for (int n = 0; n < rounds && waymark_vcpu_find(cpus[i].index); n++) {
			fire(&cpus[i]);
		}
	}
}

static void plug(void)
{
	struct waymark_error error;
	struct CPUState *cpu = &cpus[count];

	cpu->index = (uint32_t)count++;
	if (waymark_vcpu_init(cpu, cpu->index, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
}

static void say_cpus(void)
{
	for (int i = 0; i < count; i++) {
		printf("%p%c", (void *)&cpus[i], i < count - 1 ? ' ' : '\n');
	}
}

static void say_rounds(void)
{
	for (int i = 0; i < count; i++) {
		printf("%llu %llu%c",
			(unsigned long long)__atomic_load_n(&cpus[i].begun, __ATOMIC_SEQ_CST),
			(unsigned long long)__atomic_load_n(&cpus[i].ended, __ATOMIC_SEQ_CST),
			i < count - 1 ? ' ' : '\n');
	}
}

static void obey(const char *line)
{
	unsigned int index;

	if (strcmp(line, "cpus") == 0) {
		say_cpus();
		return;
	}
	if (strcmp(line, "rounds") == 0) {
		say_rounds();
		return;
	}
	if (strcmp(line, "plug") == 0) {
		plug();
	} else if (sscanf(line, "unplug %u", &index) == 1) {
		waymark_vcpu_fini(waymark_vcpu_find(index));
	} else {
		fire_in_turn(atoi(line));
	}
	printf("fired %s\n", line);
}

static void begin_to_run(void)
{
	for (int i = 0; i < count; i++) {
		pthread_create(&cpus[i].thread, NULL, run, &cpus[i]);
	}
	printf("ready\n");
	fflush(stdout);
}

static void end_to_run(void)
{
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < count; i++) {
		pthread_join(cpus[i].thread, NULL);
	}
}

int main(int argc, char **argv)
{
	bool runs = argc > 1 && strcmp(argv[1], "run") == 0;
	char line[64];

	for (int i = 0; i < FIRST; i++) {
		plug();
	}
	if (runs) {
		begin_to_run();
	}
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		obey(line);
		fflush(stdout);
	}
	if (runs) {
		end_to_run();
		say_rounds();
	}
	return 0;
}
