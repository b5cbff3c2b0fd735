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

/* By number, where not all systems have all: C libraries other than glibc have no such list. */
static const char *const names[] = {
#define SIGNAL(name) [SIG##name] = #name
	SIGNAL(HUP),
	SIGNAL(INT),
	SIGNAL(QUIT),
	SIGNAL(ILL),
	SIGNAL(TRAP),
	SIGNAL(ABRT),
	SIGNAL(BUS),
	SIGNAL(FPE),
	SIGNAL(KILL),
	SIGNAL(USR1),
	SIGNAL(SEGV),
	SIGNAL(USR2),
	SIGNAL(PIPE),
	SIGNAL(ALRM),
	SIGNAL(TERM),
	SIGNAL(STKFLT),
	SIGNAL(CHLD),
	SIGNAL(CONT),
	SIGNAL(STOP),
	SIGNAL(TSTP),
	SIGNAL(TTIN),
	SIGNAL(TTOU),
	SIGNAL(URG),
	SIGNAL(XCPU),
	SIGNAL(XFSZ),
	SIGNAL(VTALRM),
	SIGNAL(PROF),
	SIGNAL(WINCH),
	SIGNAL(POLL),
	SIGNAL(PWR),
	SIGNAL(SYS),
#undef SIGNAL
};

static long by_name(const char *name)
{
	if (strncmp(name, "SIG", 3) == 0) {
		name += 3;
	}
	for (size_t sig = 1; sig < ARRAY_SIZE(names); sig++) {
		if (names[sig] && strcmp(names[sig], name) == 0) {
			return (long)sig;
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
