/* SPDX-License-Identifier: MIT */
/*
 * The thread that carries out commands. It is an ordinary one of the program, so
 * that files which commands open are the program's; who talks to the clients waits for it.
 */
#ifndef MON_WORKER_H
#define MON_WORKER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

struct worker {
	sem_t asked;
	sem_t done;
	void (*run)(void *of); /* NULL: it ends */
	void *of;
	pthread_t thread;
};

/* Starts it. NULL with errno. */
struct worker *worker_create(void);

/* Has `run` called there, and waits for its end; without a worker calls it here. */
void worker_run(struct worker *w, void (*run)(void *of), void *of);

/*
 * The same, but waits no longer than `deadline` of patience.h; a worker
 * that is not through then can be used no more. Returns whether it is.
 */
bool worker_run_until(
	struct worker *w, void (*run)(void *of), void *of, const struct timespec *deadline);

/* Ends it. NULL is legal. */
void worker_destroy(struct worker *w);

/* Creates a thread of the monitor's: named, with all signals blocked. Returns 0, or an errno. */
int worker_thread(pthread_t *thread, void *(*run)(void *of), void *of);

#endif
