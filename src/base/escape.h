/* SPDX-License-Identifier: MIT */
/*
 * Escapes for output in which one event is one line: control characters of a message are printed as
 * C escapes, so that no string can break a line or command a terminal. Bytes that are not UTF-8 are
 * escaped, too, and UTF-8 characters that are controls or change the order of others. A tab is
 * kept. Header-only, for the runtime: no state, async-signal-safe.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* The longest escape of a byte: \xHH. A text grows at most by this factor. */
#define ESCAPE_MAX 4

/* The longest escape of a character of UTF-8: \uHHHH. */
#define ESCAPE_CODE_MAX 6

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

/* True for a non-ASCII character that is a control or changes the order of others. */
static inline bool escape_is_misleading(uint32_t code)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} misleading[] = {
		{ 0x80, 0x9f }, /* C1 controls */
		{ 0x61c, 0x61c }, /* Arabic letter mark */
		{ 0x200e, 0x200f }, /* left-to-right and right-to-left mark */
		{ 0x2028, 0x202e }, /* line and paragraph separators; embeddings, overrides */
		{ 0x2066, 0x2069 }, /* isolates */
	};

	for (size_t i = 0; i < sizeof(misleading) / sizeof(misleading[0]); i++) {
		if (code >= misleading[i].first && code <= misleading[i].last) {
			return true;
		}
	}
	return false;
}

/* Writes the escape of a code point below 0x10000 (ESCAPE_CODE_MAX bytes); returns its length. */
static inline size_t escape_code(char *out, uint32_t code)
{
	out[0] = '\\';
	out[1] = 'u';
	for (int i = 0; i < 4; i++) {
		out[2 + i] = "0123456789abcdef"[code >> (12 - 4 * i) & 15];
	}
	return ESCAPE_CODE_MAX;
}

/*
 * Writes a character, or its escape (ESCAPE_CODE_MAX bytes of room); returns the length. `n` is the
 * result of utf8_length() for it; 0 means one byte that is not UTF-8.
 */
static inline size_t escape_measured(char *out, const char *text, size_t n)
{
	if (n == 0 || escape_needed((unsigned char)*text)) {
		return escape_byte(out, (unsigned char)*text);
	}
	if (n > 1 && escape_is_misleading(utf8_decode(text, n))) {
		return escape_code(out, utf8_decode(text, n));
	}
	memcpy(out, text, n);
	return n;
}

/*
 * Reads one character of `*text`, which has `left` > 0 bytes, and writes it or its escape, at most
 * ESCAPE_MAX bytes for each byte read. Returns the end of the output.
 */
static inline char *escape_character(char *out, const char **text, size_t left)
{
	const char *p = *text;
	size_t n = utf8_length(p, left);

	*text += n ? n : 1;
	return out + escape_measured(out, p, n);
}

#endif
