/* SPDX-License-Identifier: MIT */
/*
 * shipped EVENTS THREADS RATE: each thread records EVENTS events with two u64, like the requests of
 * a disk, RATE a second (0: as fast as it can). Prints the processor time of a thread for an event,
 * in ns.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include TRACE_HEADER

#define THREADS_MAX 64
#define SLICES 1000 /* of a second: pauses */
#define NS 1000000000u

static uint64_t events;
static uint64_t rate;

static uint64_t processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

static void *record(void *used)
{
	const struct timespec slice = { 0, NS / SLICES };
	uint64_t chance = (uintptr_t)used;
	uint64_t begin = processor_ns();

	for (uint64_t i = 0; i < events; i++) {
		chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407u;
		trace_two_u64(chance >> 36 << 3, UINT64_C(4096) << (chance >> 32 & 3));
		if (rate && i % (rate / SLICES) == 0) {
			nanosleep(&slice, NULL);
		}
	}
	*(uint64_t *)used = processor_ns() - begin;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	uint64_t used[THREADS_MAX];
	size_t count = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
	double sum = 0;

	if (count == 0 || count > THREADS_MAX) {
		return EXIT_FAILURE;
	}
	events = strtoull(argv[1], NULL, 10);
	rate = strtoull(argv[3], NULL, 10);
	for (size_t i = 0; i < count; i++) {
		used[i] = i;
		pthread_create(&threads[i], NULL, record, &used[i]);
	}
	for (size_t i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += (double)used[i];
	}
	printf("%.2f\n", sum / (double)events / (double)count);
	return EXIT_SUCCESS;
}
