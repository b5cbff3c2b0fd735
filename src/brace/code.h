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

#endif
