/* SPDX-License-Identifier: MIT */
/* threads COUNT PAUSE_US: a thread for each of COUNT requests, one after the other, with two
 * events. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace-other.h"

static void *serve(void *request)
{
	for (int i = 0; i < 2; i++) {
		trace_time((uint64_t)(uintptr_t)request, "here");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uintptr_t count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	useconds_t pause_us = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;
	pthread_t thread;

	for (uintptr_t i = 0; i < count; i++) {
		if (pthread_create(&thread, NULL, serve, (void *)i) != 0) {
			return EXIT_FAILURE;
		}
		pthread_join(thread, NULL);
		usleep(pause_us);
	}
	return EXIT_SUCCESS;
}
