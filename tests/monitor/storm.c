/* SPDX-License-Identifier: MIT */
/*
 * Threads fire a hundred events at full speed while others switch them. Each event has its thread,
 * a number that only grows in that thread, and the complement of that number, so that a torn event
 * is detected. Ends at the end of standard input: storm THREADS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace-storm.h"

static int over;

static void *fire(void *argument)
{
	uint32_t thread = (uint32_t)(uintptr_t)argument;

	for (uint64_t n = 0; !__atomic_load_n(&over, __ATOMIC_RELAXED);) {
#define STORM(name) trace_##name(thread, n, ~n), n++;
#include "storm.def"
#undef STORM
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int count = argc > 1 ? atoi(argv[1]) : 1;
	char byte;

	for (int i = 0; i < count && i < 64; i++) {
		pthread_create(&threads[i], NULL, fire, (void *)(uintptr_t)i);
	}
	while (read(0, &byte, 1) > 0) {
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < count && i < 64; i++) {
		pthread_join(threads[i], NULL);
	}
	return 0;
}
