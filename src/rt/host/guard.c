/* SPDX-License-Identifier: MIT */
/* See guard.h. */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/compiler.h"
#include "rt/host/guard.h"

/* What writing to a file can raise. */
static const int write_signals[] = { SIGPIPE, SIGXFSZ };

void waymark_guard_begin(struct guard *g)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &g->former);
	sigpending(&g->pending);
}

void waymark_guard_end(const struct guard *g)
{
	static const struct timespec at_once;
	sigset_t mine;

	sigemptyset(&mine);
	for (size_t i = 0; i < ARRAY_SIZE(write_signals); i++) {
		if (!sigismember(&g->pending, write_signals[i])) {
			sigaddset(&mine, write_signals[i]);
		}
	}
	while (sigtimedwait(&mine, NULL, &at_once) > 0) {
	}
	pthread_sigmask(SIG_SETMASK, &g->former, NULL);
}
