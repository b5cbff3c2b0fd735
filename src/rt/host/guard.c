/* SPDX-License-Identifier: MIT */
/* Signals and cancellation while one of the program's threads writes to our file: see guard.h. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/host/guard.h"

/* Signals that a write raises; SIGTTOU is not raised while it is blocked. */
static const int write_signals[] = { SIGPIPE, SIGXFSZ };

/*
 * Sets the type as well: a C library that read the state earlier may still send its signal, and the
 * signal's handler may check only the type.
 */
void waymark_cancel_off(struct cancel *c)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->state);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &c->type);
}

/*
 * Restores the type last, because every C library then checks whether the thread was cancelled
 * meanwhile. musl's pthread_setcancelstate() does not check, so a thread with asynchronous
 * cancellation might run on for ever.
 */
void waymark_cancel_back(const struct cancel *c)
{
	pthread_setcancelstate(c->state, NULL);
	pthread_setcanceltype(c->type, NULL);
}

void waymark_guard_begin(struct guard *g)
{
	sigset_t all;

	g->error = errno;
	waymark_cancel_off(&g->cancel);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &g->former);
	sigpending(&g->pending);
}

bool waymark_take_signal(const sigset_t *set)
{
	static const long at_once[2]; /* the kernel's timespec of this call, see futex.h */

	return syscall(SYS_rt_sigtimedwait, set, NULL, at_once, (_NSIG - 1) / 8) > 0;
}

void waymark_guard_end(const struct guard *g)
{
	sigset_t mine;

	sigemptyset(&mine);
	for (size_t i = 0; i < ARRAY_SIZE(write_signals); i++) {
		if (!sigismember(&g->pending, write_signals[i])) {
			sigaddset(&mine, write_signals[i]);
		}
	}
	while (waymark_take_signal(&mine)) {
	}
	pthread_sigmask(SIG_SETMASK, &g->former, NULL);
	waymark_cancel_back(&g->cancel);
	errno = g->error;
}
