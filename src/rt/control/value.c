/* SPDX-License-Identifier: MIT */
/*
 * Values of keys: words, sizes, counts and signals. Refuses a text that is not wholly a value, with
 * the reason. option.c calls these functions.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "rt/control/option.h"
#include "rt/host/error.h"

int waymark_take_word(const char **to, const char *key, const char *value, const char *const *words,
	struct waymark_error *error)
{
	char all[64] = "";

	for (size_t i = 0; words[i]; i++) {
		if (strcmp(value, words[i]) == 0) {
			*to = words[i];
			return 0;
		}
		strcat(strcat(all, i ? ", " : ""), words[i]);
	}
	return waymark_fail(error, "%s=: '%s' is not one of %s", key, value, all);
}

/* A number that is not 0; `*end` gets the text that follows it. */
static bool read_number(uint64_t *n, const char *text, const char **end)
{
	char *rest;

	errno = 0;
	*n = strtoull(text, &rest, 10);
	*end = rest;
	return *text >= '0' && *text <= '9' && !errno && *n != 0;
}

int waymark_take_size(uint64_t *to, const char *key, const char *value, struct waymark_error *error)
{
	static const char units[] = "KMG";
	const char *end;
	unsigned int shift = 0;
	bool ok = read_number(to, value, &end);
	const char *unit = isalpha((unsigned char)*end) ? strchr(units, *end & ~0x20) : NULL;

	if (unit) {
		shift = 10 * (unsigned int)(unit - units + 1);
		end++;
	}
	if (!ok || *end || *to > UINT64_MAX >> shift) {
		return waymark_fail(error,
			"%s=: '%s' is not a size; write a number, optionally with K, M or G", key,
			value);
	}
	*to <<= shift;
	return 0;
}

int waymark_take_count(
	uint64_t *to, const char *key, uint64_t max, const char *value, struct waymark_error *error)
{
	const char *end;

	if (read_number(to, value, &end) && !*end && *to <= max) {
		return 0;
	}
	return waymark_fail(error, "%s=: '%s' is not a number from 1 to %llu", key, value,
		(unsigned long long)max);
}

/*
 * Signals refused because the faulting instruction would fault again, or because they cannot be
 * handled.
 */
static const int refused[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGSEGV, SIGSTOP, SIGSYS,
	SIGTRAP };

/*
 * Names by number, because C libraries other than glibc have no such list. Not all systems have all
 * signals.
 */
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

/* The C library uses the signals between the named and the real-time ones itself. */
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
