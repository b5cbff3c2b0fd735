/* SPDX-License-Identifier: MIT */
/*
 * UTF-8: lengths of well-formed characters, and their code points. Traces and JSON must be UTF-8,
 * while programs and files may have any bytes. Header-only: no state, any thread.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest character. */
#define UTF8_MAX 4

/*
 * Returns the bytes of the well-formed character at `s` (of `len` > 0 bytes); 0 if there is none.
 */
static inline size_t utf8_length(const char *s, size_t len)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)s[0];
	size_t n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	uint32_t c = first & (0x7fu >> n);

	if (n <= 1 || n > len || first > 0xf4) {
		return n == 1;
	}
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80) {
			return 0;
		}
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	}
	return c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

/* Returns the code point of the character of `n` bytes, which utf8_length() has measured. */
static inline uint32_t utf8_decode(const char *s, size_t n)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)s[0] & first_bits[n];

	for (size_t i = 1; i < n; i++) {
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	}
	return code;
}

/* Writes a code point (UTF8_MAX bytes of room), U+FFFD for an invalid one; returns its bytes. */
static inline size_t utf8_encode(char *out, uint32_t code)
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

/*
 * Returns the bytes of whole characters in the first `len` of a longer text; reads one byte more.
 */
static inline size_t utf8_whole(const char *s, size_t len)
{
	while (len && ((unsigned char)s[len] & 0xc0) == 0x80) {
		len--;
	}
	return len;
}

/* Returns the offset of the first byte that is not UTF-8; `len` if all bytes are. */
static inline size_t utf8_invalid(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len) {
		size_t n = utf8_length(s + i, len - i);

		if (n == 0) {
			break;
		}
		i += n;
	}
	return i;
}

/* Returns the number of characters in some bytes of UTF-8. */
static inline size_t utf8_count(const char *s, size_t bytes)
{
	size_t count = 0;

	for (size_t i = 0; i < bytes; i++) {
		/* Each byte but the first of a character begins with the bits 10. */
		count += ((unsigned char)s[i] & 0xc0) != 0x80;
	}
	return count;
}

#endif
