/* SPDX-License-Identifier: MIT */
/*
 * The thread that runs commands. It has the program's table of descriptors, so that commands open
 * their files in the program. The thread that talks to the clients waits for it.
 */
#ifndef MON_WORKER_H
#define MON_WORKER_H

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
 * Runs `run` in the worker, but waits only until a deadline of deadline.h. Returns whether `run`
 * ended by then; if not, the worker must not be used again.
 */
bool worker_run_until(
	struct worker *w, void (*run)(void *of), void *of, const struct timespec *deadline);

/* Ends the thread. NULL is legal. */
void worker_destroy(struct worker *w);

/* Creates a thread with all signals blocked. Returns 0, or an errno. */
int worker_thread(pthread_t *thread, void *(*run)(void *of), void *of);

#endif
