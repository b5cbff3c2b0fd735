/* SPDX-License-Identifier: MIT */
/* See snapshot.h. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "rt/control/snapshot.h"
#include "rt/host/error.h"
#include "rt/record/recorder.h"

static int by_name(const char *name)
{
	if (strncmp(name, "SIG", 3) == 0) {
		name += 3;
	}
	for (int sig = 1; sig < NSIG; sig++) {
		const char *abbreviation = sigabbrev_np(sig);

		if (abbreviation && strcmp(abbreviation, name) == 0) {
			return sig;
		}
	}
	return 0;
}

int waymark_snapshot_signal(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	if (end == name || *end) {
		number = by_name(name);
	}
	if (number < 1 || number > SIGRTMAX || number == SIGKILL || number == SIGSTOP) {
		return 0;
	}
	return (int)number;
}

static void on_signal(int sig)
{
	int saved = errno;

	(void)sig;
	waymark_recorder_snapshot();
	errno = saved;
}

int waymark_snapshot_install(int sig, struct waymark_error *error)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction old;

	sigemptyset(&act.sa_mask);
	if (sigaction(sig, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
		(old.sa_handler == SIG_DFL || old.sa_handler == on_signal)) {
		return sigaction(sig, &act, NULL);
	}
	return waymark_fail(error, "snapshot=: the program handles signal %d itself", sig);
}
