/* SPDX-License-Identifier: MIT */
/*
 * Escapes the control characters of a text, reading one word at a time, as most text needs no
 * escape. Writes whole words, so callers reserve more than the text needs: see message_escape().
 */
#include <string.h>

#include "base/escape.h"
#include "view/message/message.h"
#include "view/message/number.h"

/* Returns 0 if all bytes are printable ASCII: 0x20 to 0x7e. */
static uint64_t odd_bytes(uint64_t v)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return (v | (v - 0x20 * ones) | ((v ^ (0x7f * ones)) - ones)) & (0x80 * ones);
}

static uint64_t load_low32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

/* Loads n < 8 bytes as a word, the first one lowest, padded with blanks. */
static uint64_t load_tail(const char *p, size_t n)
{
	uint64_t v = UINT64_C(0x2020202020202020) << (8 * n);

	if (n >= 4) {
		return v | load_low32(p) | load_low32(p + n - 4) << (8 * (n - 4));
	}
	for (size_t i = 0; i < n; i++) {
		v |= (uint64_t)(unsigned char)p[i] << (8 * i);
	}
	return v;
}

static NOINLINE char *escape_slowly(char *out, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		out = escape_character(out, &text, (size_t)(end - text));
	}
	return out;
}

/* Copies one word; returns marks of the bytes that must be escaped. */
static inline uint64_t copy_word(char *out, const char *text)
{
	uint64_t v;

	memcpy(&v, text, sizeof(v));
	memcpy(out, &v, sizeof(v));
	return odd_bytes(v);
}

char *message_escape(char *out, const char *text, size_t length)
{
	const size_t word = sizeof(uint64_t);

	if (length < word) {
		uint64_t v = load_tail(text, length);

		number_store(out, v);
		return UNLIKELY(odd_bytes(v)) ? escape_slowly(out, text, length) : out + length;
	}
	/* The last word overlaps the previous one, unless the length is a multiple of a word. */
	uint64_t marks = copy_word(out + length - word, text + length - word);

	for (size_t i = 0; i + word < length; i += word) {
		marks |= copy_word(out + i, text + i);
	}
	return UNLIKELY(marks) ? escape_slowly(out, text, length) : out + length;
}
