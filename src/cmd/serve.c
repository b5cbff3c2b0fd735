/* SPDX-License-Identifier: MIT */
/* A signal is read like input, so that a command waits for both at once. */
#include "cmd/serve.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

int serve_catch_signals(int more)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	if (more) {
		sigaddset(&ends, more);
	}
	sigprocmask(SIG_BLOCK, &ends, NULL);
	return signalfd(-1, &ends, SFD_CLOEXEC);
}

void serve_raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}
