/* SPDX-License-Identifier: MIT */
/*
 * ticker PERIOD_US [COUNT]: fires three events a turn, with a pause between turns (0: none), until
 * COUNT turns are done or standard input ends. Prints "ready" after the first turn, so that whoever
 * waits for it sees none of its events.
 */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "trace-ticker.h"

/* Without pauses, polls standard input only in some turns. */
static int has_ended(uint64_t turn, long period_us)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char byte;

	return (period_us > 0 || turn % 65536 == 0) && poll(&in, 1, 0) > 0 &&
	       read(STDIN_FILENO, &byte, 1) == 0;
}

int main(int argc, char **argv)
{
	long period_us = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_MAX;
	const struct timespec pause = { period_us / 1000000, period_us % 1000000 * 1000 };

	for (uint64_t n = 0; n < count && !has_ended(n, period_us); n++) {
		trace_tick(n);
		trace_tock(n);
		trace_tack_text(n, "a text");
		if (n == 0) {
			puts("ready");
			fflush(stdout);
		}
		if (period_us && n + 1 < count) {
			nanosleep(&pause, NULL);
		}
	}
	return EXIT_SUCCESS;
}
