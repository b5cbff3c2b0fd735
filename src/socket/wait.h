/* SPDX-License-Identifier: MIT */
/* Trying again until a deadline, however many signals come meanwhile. */
#ifndef SOCKET_WAIT_H
#define SOCKET_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define WAIT_PAUSE_NS 5000000

/* The time in `ms` milliseconds; now for 0 and less. */
static inline int64_t wait_deadline(int ms)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + (ms > 0 ? ms : 0);
}

/* Pauses, at most 5 ms. False, and errno as it was, when the deadline is over. */
static inline bool wait_again(int64_t deadline)
{
	const struct timespec pause = { .tv_nsec = WAIT_PAUSE_NS };

	if (wait_deadline(0) >= deadline) {
		return false;
	}
	nanosleep(&pause, NULL);
	return true;
}

#endif
