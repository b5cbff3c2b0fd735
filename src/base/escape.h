/* SPDX-License-Identifier: MIT */
/*
 * One event is one line: control characters of a message are printed as C
 * escapes, so that no string can break a line or drive a terminal. A tab and
 * every byte from 0x80 up (UTF-8) pass. Header-only, for the runtime's sake.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* The longest escape: \xHH. */
#define ESCAPE_MAX 4

static inline bool escape_needed(unsigned char c)
{
	return (c < 0x20 && c != '\t') || c == 0x7f;
}

/* Writes the escape of `c` to `out` (ESCAPE_MAX bytes of room); returns its length. */
static inline size_t escape_byte(char *out, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	static const char letters[] = {
		['\a'] = 'a', ['\b'] = 'b', ['\n'] = 'n', ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r'
	};

	out[0] = '\\';
	if (c < sizeof(letters) && letters[c]) {
		out[1] = letters[c];
		return 2;
	}
	out[1] = 'x';
	out[2] = hex[c >> 4];
	out[3] = hex[c & 15];
	return 4;
}

#endif
