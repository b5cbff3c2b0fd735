/* SPDX-License-Identifier: MIT */
/*
 * exits THREADS EXITS: each thread is a virtual CPU that exits and enters again. Some exits have no
 * device, one, or several; some enters have no exit; the last exit has no enter.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "trace-exits.h"

static int exits;

static void handle(int i)
{
	switch (i % 4) {
	case 0:
		trace_device_write("serial", 0x3f8);
		break;
	case 1:
		trace_device_read("rtc; index", 0x71);
		trace_device_write("ide", (uint64_t)i);
		trace_device_read("ide", 0);
		break;
	case 2:
		trace_device_read(NULL, 0);
		break;
	default:
		break;
	}
}

static void *run(void *cpu)
{
	int number = (int)(intptr_t)cpu;

	trace_vcpu_enter(number, 0);
	for (int i = 0; i < exits; i++) {
		trace_device_write("outside", 0);
		trace_vcpu_exit(number, (int[]){ 2, 6, 5, 2 }[i % 4]);
		handle(i);
		trace_vcpu_enter(number, 1);
		trace_vcpu_enter(number, 2);
	}
	trace_vcpu_exit(number, 5);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];
	int count = argc > 1 ? atoi(argv[1]) : 0;

	exits = argc > 2 ? atoi(argv[2]) : 0;
	if (count < 1 || count > 16) {
		return EXIT_FAILURE;
	}
	for (int i = 0; i < count; i++) {
		pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
	}
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
	return EXIT_SUCCESS;
}
