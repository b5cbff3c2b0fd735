/* SPDX-License-Identifier: MIT */
/*
 * An integer as decimal digits, for code that must not use printf(). Header-only: no state,
 * async-signal-safe, any thread.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdint.h>

/* Digits of the largest 64-bit number. */
#define DECIMAL_MAX 20

/*
 * Writes the digits of `n` up to `end`, with leading zeros up to `least` digits; returns the first
 * one. Needs DECIMAL_MAX bytes, or `least`, before `end`.
 */
static inline char *decimal_before(char *end, uint64_t n, unsigned int least)
{
	char *p = end;

	for (; n >= 10; n /= 100) {
		unsigned int pair = (unsigned int)(n % 100);

		*--p = (char)('0' + pair % 10);
		*--p = (char)('0' + pair / 10);
	}
	if (n || p == end) {
		*--p = (char)('0' + n);
	}
	while ((unsigned int)(end - p) < least) {
		*--p = '0';
	}
	return p;
}

#endif
