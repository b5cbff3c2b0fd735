/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text, for the views: printf is too slow for millions of lines a second. Each writer
 * stores whole words, so it needs NUMBER_ROOM bytes at `out` whatever the number is, and returns
 * the end of the text.
 */
#ifndef VIEW_MESSAGE_NUMBER_H
#define VIEW_MESSAGE_NUMBER_H

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#define NUMBER_ROOM 32

#define NUMBER_E8 UINT64_C(100000000)

/* Stores a word whose lowest byte is the first in memory on any host. */
static inline void number_store(char *out, uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	memcpy(out, &bytes, sizeof(bytes));
}

#define NUMBER_E4 10000u
#define NUMBER_ZEROS UINT64_C(0x3030303030303030)

/* "0000" to "9999", so that one load returns four digits. */
extern const char number_fours[NUMBER_E4][4];

/* Returns the text of number_fours[v] as a word whose lowest byte is the first digit. */
static inline uint64_t number_four(uint32_t v)
{
	uint32_t four;

	memcpy(&four, number_fours[v], sizeof(four));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	four = __builtin_bswap32(four);
#endif
	return four;
}

/* Returns the text of v < 10^8 with all eight digits, the first one lowest. */
static inline uint64_t number_eight(uint32_t v)
{
	uint32_t high = v / NUMBER_E4;

	return number_four(high) | number_four(v - high * NUMBER_E4) << 32;
}

/*
 * Writes a finite number with as few digits, from 15 on, as read back the same double: 0.1, not
 * 0.10000000000000001. Slow.
 */
char *number_real(char *out, double v);

/* Writes exactly four digits: v < 10^4. */
static inline char *number_fixed4(char *out, uint32_t v)
{
	memcpy(out, number_fours[v], sizeof(number_fours[v]));
	return out + 4;
}

/* Writes exactly eight digits: v < 10^8. */
static inline char *number_fixed8(char *out, uint64_t v)
{
	number_store(out, number_eight((uint32_t)v));
	return out + 8;
}

/* Writes v < 10^8 without leading zeros; `zeros` is in bits. */
static inline char *number_short(char *out, uint64_t v)
{
	uint64_t text = number_eight((uint32_t)v);
	unsigned int zeros =
		(unsigned int)__builtin_ctzll((text - NUMBER_ZEROS) | UINT64_C(1) << 56) & 56;

	number_store(out, text >> zeros);
	return out + 8 - zeros / 8;
}

/* Writes v >= 10^8. */
char *number_long(char *out, uint64_t v);

static inline char *number_decimal(char *out, uint64_t v)
{
	return LIKELY(v < NUMBER_E8) ? number_short(out, v) : number_long(out, v);
}

static inline char *number_signed(char *out, int64_t v)
{
	*out = '-';
	return number_decimal(out + (v < 0), v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* Returns the eight lower-case hex digits of v, a byte each, the first one lowest. */
static inline uint64_t number_hex8(uint32_t v)
{
	uint64_t x = __builtin_bswap32(v);

	x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
	x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = ((x & UINT64_C(0x000f000f000f000f)) << 8) | (x >> 4 & UINT64_C(0x000f000f000f000f));
	/* Digits of 10 and more reach bit 4 when 6 is added: they need 'a' - '0' - 10 more. */
	uint64_t letters = (x + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);

	return x + NUMBER_ZEROS + letters * ('a' - '0' - 10);
}

/* Writes at least `digits` hex digits (1 to 16), with leading zeros. */
static inline char *number_hex(char *out, uint64_t v, unsigned int digits)
{
	unsigned int needed = (67u - (unsigned int)__builtin_clzll(v | 1)) / 4;

	digits = digits > needed ? digits : needed;
	if (digits <= 8) {
		number_store(out, number_hex8((uint32_t)v) >> (64 - 8 * digits));
		return out + digits;
	}
	number_store(out, number_hex8((uint32_t)(v >> 32)) >> (128 - 8 * digits));
	number_store(out + digits - 8, number_hex8((uint32_t)v));
	return out + digits;
}

#endif
