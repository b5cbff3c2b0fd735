/* SPDX-License-Identifier: MIT */
/* See guard.h. */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "mon/server/guard.h"

/* What writing to a pipe, a terminal or a file can raise. */
static const int raised[] = { SIGPIPE, SIGTTOU, SIGXFSZ };

void guard_begin(struct guard *g)
{
	sigset_t all;

	g->error = errno;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &g->cancel);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &g->former);
	sigpending(&g->pending);
}

void guard_end(const struct guard *g)
{
	static const long at_once[2]; /* the kernel's timespec of this call */
	sigset_t ours;

	sigemptyset(&ours);
	for (size_t i = 0; i < ARRAY_SIZE(raised); i++) {
		if (!sigismember(&g->pending, raised[i])) {
			sigaddset(&ours, raised[i]);
		}
	}
	while (syscall(SYS_rt_sigtimedwait, &ours, NULL, at_once, (_NSIG - 1) / 8) > 0) {
	}
	pthread_sigmask(SIG_SETMASK, &g->former, NULL);
	pthread_setcancelstate(g->cancel, NULL);
	errno = g->error;
}
