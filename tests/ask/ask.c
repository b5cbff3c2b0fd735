/* SPDX-License-Identifier: MIT */
/*
 * ask THREADS ROUNDS: fires events of all kinds from several threads, whose values follow from the
 * round, in bursts of one kind so that packets differ in what they have.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace-ask.h"

static long rounds;

static void burst(long thread, long round)
{
	static const char *const disks[] = { "sda", "nvme0n1", "", "a \"quoted\"\tone" };
	uint64_t key = (uint64_t)thread << 32 | (uint64_t)round;

	trace_ask_submit(key, round % 3, (uint32_t)(round % 17 * 512), disks[round % 4]);
	for (long i = 0; i < round % 50; i++) {
		trace_ask_tick((uint64_t)i, (uint64_t)(round * i));
	}
	if (round % 5) {
		trace_ask_note("between", (void *)(uintptr_t)key, (uint8_t)(round % 5), round % 2);
	}
	if (round % 1000 == 999) {
		trace_ask_rare((int8_t)-thread);
	}
	if (round % 11) {
		trace_ask_complete(key, round % 7 ? 0 : -5, round % 13 - 6);
	}
}

static void *run(void *number)
{
	for (long round = 0; round < rounds; round++) {
		burst((long)(intptr_t)number, round);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];
	long count = argc == 3 ? strtol(argv[1], NULL, 10) : 0;

	if (count < 1 || count > 16) {
		fprintf(stderr, "usage: ask THREADS ROUNDS\n");
		return 2;
	}
	rounds = strtol(argv[2], NULL, 10);
	for (long i = 0; i < count; i++) {
		pthread_create(&threads[i], NULL, run, (void *)(intptr_t)(i + 1));
	}
	for (long i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
	return 0;
}
