/* SPDX-License-Identifier: MIT */
/* See snapshot.h. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "rt/control/snapshot.h"
#include "rt/host/error.h"
#include "rt/record/recorder.h"

/* The signal that has our handler, 0: none. Changed by an exchange. */
static int installed;

static void on_signal(int sig)
{
	int saved = errno;

	(void)sig;
	waymark_recorder_snapshot();
	errno = saved;
}

static bool is_ours(const struct sigaction *act)
{
	return !(act->sa_flags & SA_SIGINFO) && act->sa_handler == on_signal;
}

int waymark_snapshot_check(int sig, struct waymark_error *error)
{
	struct sigaction now;

	if (sigaction(sig, NULL, &now) < 0) {
		return waymark_fail(error, "snapshot=: signal %d: %s", sig, strerror(errno));
	}
	if (is_ours(&now) || (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)) {
		return 0;
	}
	return waymark_fail(error,
		"snapshot=: the program handles or ignores signal %d itself; choose another", sig);
}

/* Gives an earlier signal back, unless the program took it meanwhile. */
static void uninstall(int sig)
{
	struct sigaction act = { .sa_handler = SIG_DFL };
	struct sigaction now;

	if (sigaction(sig, NULL, &now) == 0 && is_ours(&now)) {
		sigaction(sig, &act, NULL);
	}
}

int waymark_snapshot_install(int sig, struct waymark_error *error)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (waymark_snapshot_check(sig, error) < 0) {
		return -1;
	}
	sigemptyset(&act.sa_mask);
	sigaction(sig, &act, NULL);
	int before = __atomic_exchange_n(&installed, sig, __ATOMIC_RELAXED);

	if (before && before != sig) {
		uninstall(before);
	}
	return 0;
}
