/* SPDX-License-Identifier: MIT */
/* Code points and their bytes in UTF-8: for well-formed characters only. */
#ifndef BRACE_CODE_H
#define BRACE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/utf8.h"

/* The code of the character of `n` bytes, which utf8_length() has measured. */
static inline uint32_t brace_decode(const char *s, size_t n)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)s[0] & first_bits[n];

	for (size_t i = 1; i < n; i++) {
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	}
	return code;
}

/* Writes a code point (UTF8_MAX bytes of room), U+FFFD for what is none; returns its bytes. */
static inline size_t brace_encode(char *out, uint32_t code)
{
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
		code = 0xfffd;
	}
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	out[0] = (char)(leads[n] | code);
	return n;
}

#endif
