/* SPDX-License-Identifier: MIT */
/*
 * One event is one line: control characters of a message are printed as C
 * escapes, so that no string can break a line or drive a terminal, and so are
 * characters of UTF-8 that do so or change the order of others. A tab passes.
 * Header-only, for the runtime's sake: no state, for any signal handler.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest escape: \xHH. */
#define ESCAPE_MAX 4

/* That of a character of UTF-8: \uHHHH. */
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

/* The code of a character of two or three bytes; of any other, where nothing misleads, 0. */
static inline uint32_t escape_decode(const char *text, size_t n)
{
	const unsigned char *p = (const unsigned char *)text;

	if (n == 2) {
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	}
	return n == 3 ? (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu) : 0;
}

/* Whether the character, not of ASCII, is a control or changes the order of others. */
static inline bool escape_is_misleading(uint32_t code)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} misleading[] = {
		{ 0x80, 0x9f }, /* C1: controls of eight bits */
		{ 0x61c, 0x61c }, /* the mark of Arabic letters */
		{ 0x200e, 0x200f }, /* marks of direction */
		{ 0x2028, 0x202e }, /* ends of lines and paragraphs; embeddings and overrides */
		{ 0x2066, 0x2069 }, /* isolates */
	};

	for (size_t i = 0; i < sizeof(misleading) / sizeof(misleading[0]); i++) {
		if (code >= misleading[i].first && code <= misleading[i].last) {
			return true;
		}
	}
	return false;
}

/* Writes the escape of a character of escape_decode() (ESCAPE_CODE_MAX bytes); its length. */
static inline size_t escape_code(char *out, uint32_t code)
{
	out[0] = '\\';
	out[1] = 'u';
	for (int i = 0; i < 4; i++) {
		out[2 + i] = "0123456789abcdef"[code >> (12 - 4 * i) & 15];
	}
	return ESCAPE_CODE_MAX;
}

#endif
