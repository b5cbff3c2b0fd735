/* SPDX-License-Identifier: MIT */
/*
 * Waiting, but not for ever: until a moment that is so many milliseconds from now.
 * Setting the time of day changes nothing, but with a thread sanitizer, which
 * knows no other clock in these calls.
 */
#ifndef MON_PATIENCE_H
#define MON_PATIENCE_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

#ifdef __SANITIZE_THREAD__
#define PATIENCE_CLOCK CLOCK_REALTIME
#define patience_clocklock(mutex, until) pthread_mutex_timedlock(mutex, until)
#define patience_clockwait(sem, until) sem_timedwait(sem, until)
#else
#define PATIENCE_CLOCK CLOCK_MONOTONIC
#define patience_clocklock(mutex, until) pthread_mutex_clocklock(mutex, PATIENCE_CLOCK, until)
#define patience_clockwait(sem, until) sem_clockwait(sem, PATIENCE_CLOCK, until)
#endif

static inline struct timespec patience_ms(long ms)
{
	struct timespec t;

	clock_gettime(PATIENCE_CLOCK, &t);
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* Returns whether it has the mutex. */
static inline bool patience_lock(pthread_mutex_t *mutex, const struct timespec *until)
{
	return patience_clocklock(mutex, until) == 0;
}

/* Returns whether the semaphore was posted. */
static inline bool patience_wait(sem_t *sem, const struct timespec *until)
{
	int result;

	do {
		result = patience_clockwait(sem, until);
	} while (result && errno == EINTR);
	return result == 0;
}

#endif
