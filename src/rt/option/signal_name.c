/* SPDX-License-Identifier: MIT */
/* See signal_name.h. */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "rt/option/signal_name.h"

/* The instruction that faulted would fault again, or nobody can handle it. */
static const int refused[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGSEGV, SIGSTOP, SIGSYS,
	SIGTRAP };

static long by_name(const char *name)
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

/* Between the named ones and the real-time ones the C library has its own. */
static bool is_usable(long sig)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		if (sig == refused[i]) {
			return false;
		}
	}
	return (sig >= 1 && sig < 32) || (sig >= SIGRTMIN && sig <= SIGRTMAX);
}

int waymark_signal_named(const char *name)
{
	char *end = NULL;
	long sig = *name >= '0' && *name <= '9' ? strtol(name, &end, 10) : by_name(name);

	return (!end || !*end) && is_usable(sig) ? (int)sig : 0;
}
