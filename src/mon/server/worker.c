/* SPDX-License-Identifier: MIT */
/*
 * A thread that runs one function at a time: the caller posts `asked`, the worker `done`.
 * Called by the thread that drives the monitor, and at the exit of the process.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "mon/server/worker.h"
#include "rt/host/thread.h"

/* Only touched pages need memory. A program's thread-local data may be large. */
#define STACK_BYTES (512u << 10)

/* Retries after EINTR: a tracer, or setuid(), may interrupt any thread of the program. */
static void wait_for(sem_t *s)
{
	while (sem_wait(s) && errno == EINTR) {
	}
}

int worker_thread(pthread_t *thread, void *(*run)(void *of), void *of)
{
	sigset_t all, saved;
	pthread_attr_t attr;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	waymark_thread_ordinary(&attr);
	error = pthread_create(thread, &attr, run, of);
	if (error) { /* thread-local data may be larger, or a sandbox may refuse the attributes */
		error = pthread_create(thread, NULL, run, of);
	}
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return error;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	waymark_thread_begin();
	prctl(PR_SET_NAME, "wm-monitor");
	for (;;) {
		wait_for(&w->asked);
		if (!w->run) {
			return NULL;
		}
		w->run(w->of);
		sem_post(&w->done);
	}
}

struct worker *worker_create(void)
{
	struct worker *w = calloc(1, sizeof(*w));
	int error;

	if (!w) {
		return NULL;
	}
	sem_init(&w->asked, 0, 0);
	sem_init(&w->done, 0, 0);
	error = worker_thread(&w->thread, work, w);
	if (error) {
		free(w);
		errno = error;
		return NULL;
	}
	return w;
}

static void ask(struct worker *w, void (*run)(void *of), void *of)
{
	w->run = run;
	w->of = of;
	sem_post(&w->asked);
}

void worker_run(struct worker *w, void (*run)(void *of), void *of)
{
	if (!w) {
		run(of);
		return;
	}
	ask(w, run, of);
	wait_for(&w->done);
}

bool worker_run_until(
	struct worker *w, void (*run)(void *of), void *of, const struct timespec *deadline)
{
	ask(w, run, of);
	return deadline_wait(&w->done, deadline);
}

void worker_destroy(struct worker *w)
{
	if (!w) {
		return;
	}
	ask(w, NULL, NULL);
	pthread_join(w->thread, NULL);
	sem_destroy(&w->asked);
	sem_destroy(&w->done);
	free(w);
}
