/* SPDX-License-Identifier: MIT */
/*
 * Compiles an extended regular expression of POSIX in the locale "C", so that it has the same
 * meaning, and the same errors, wherever a program runs. Header-only: may allocate, not
 * async-signal-safe. Expressions from untrusted users must be limited before: see
 * rt/event/pattern.h.
 */
#ifndef BASE_REGEX_H
#define BASE_REGEX_H

#include <locale.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Compiles the `length` bytes at `text`, for searches that need no positions. Returns false with
 * the reason in `why`; else the caller calls regfree().
 */
static inline bool regex_compile(
	regex_t *regex, const char *text, size_t length, char *why, size_t size)
{
	char *copy = strndup(text, length);

	if (!copy) {
		snprintf(why, size, "out of memory");
		return false;
	}
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t before = uselocale(plain);
	int failure = regcomp(regex, copy, REG_EXTENDED | REG_NOSUB);

	if (failure) {
		regerror(failure, regex, why, size);
	}
	uselocale(before);
	if (plain) {
		freelocale(plain);
	}
	free(copy);
	return failure == 0;
}

#endif
