/* SPDX-License-Identifier: MIT */
/*
 * The thread that runs commands. It has the program's table of descriptors, so that commands open
 * their files in the program. The thread that talks to the clients waits for it.
 */
#ifndef MON_WORKER_H
#define MON_WORKER_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

struct worker {
	sem_t asked; /* posted when `run` and `of` are set */
	sem_t done;
	void (*run)(void *of); /* NULL: the thread ends */
	void *of;
	pthread_t thread;
};

/* Starts the thread. Returns NULL with errno on failure. */
struct worker *worker_create(void);

/* Runs `run` in the worker and waits for its end; without a worker (NULL), in the caller. */
void worker_run(struct worker *w, void (*run)(void *of), void *of);

/*
 * Runs `run` in the worker, but waits only until a deadline (see below). Returns whether `run`
 * ended by then; if not, the worker must not be used again.
 */
bool worker_run_until(
	struct worker *w, void (*run)(void *of), void *of, const struct timespec *deadline);

/* Ends the thread. NULL is legal. */
void worker_destroy(struct worker *w);

/* Creates a thread with all signals blocked. Returns 0, or an errno. */
int worker_thread(pthread_t *thread, void *(*run)(void *of), void *of);

/* ---- Deadlines ---- */

/*
 * Waiting with a deadline. Setting the time of day does not move the deadline, except under a
 * thread sanitizer, which does not support the other clock in these calls.
 */

#ifdef __SANITIZE_THREAD__
#define DEADLINE_CLOCK CLOCK_REALTIME
#define deadline_mutex_lock(mutex, until) pthread_mutex_timedlock(mutex, until)
#define deadline_sem_wait(sem, until) sem_timedwait(sem, until)
#else
#define DEADLINE_CLOCK CLOCK_MONOTONIC
#define deadline_mutex_lock(mutex, until) pthread_mutex_clocklock(mutex, DEADLINE_CLOCK, until)
#define deadline_sem_wait(sem, until) sem_clockwait(sem, DEADLINE_CLOCK, until)
#endif

/* Returns the deadline `ms` milliseconds from now. */
static inline struct timespec deadline_after(long ms)
{
	struct timespec t;

	clock_gettime(DEADLINE_CLOCK, &t);
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* Returns whether it locked the mutex. */
static inline bool deadline_lock(pthread_mutex_t *mutex, const struct timespec *deadline)
{
	return deadline_mutex_lock(mutex, deadline) == 0;
}

/* Returns whether the semaphore was posted. */
static inline bool deadline_wait(sem_t *sem, const struct timespec *deadline)
{
	int result;

	do {
		result = deadline_sem_wait(sem, deadline);
	} while (result && errno == EINTR);
	return result == 0;
}

#endif
