/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text, for the views: printing millions of lines a second leaves no
 * room for printf. Each writer stores whole words, so it needs NUMBER_ROOM bytes
 * behind `out` whatever the number is, and returns the end of the text.
 */
#ifndef VIEW_NUMBER_H
#define VIEW_NUMBER_H

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#define NUMBER_ROOM 32

#define NUMBER_E8 UINT64_C(100000000)

/* A word whose first byte in memory is the lowest, on any host. */
static inline void number_store(char *out, uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	memcpy(out, &bytes, sizeof(bytes));
}

/*
 * The eight decimal digits of v < 10^8, one a byte, the first one lowest: split
 * into 4 + 4, 2 + 2 + 2 + 2 and single digits, all lanes of a step at once. The
 * multipliers are ceil(2^n / divisor), exact for the range of their lane.
 */
static inline uint64_t number_digits8(uint64_t v)
{
	uint64_t high = v / 10000;
	uint64_t fours = high | (v - high * 10000) << 32;
	uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x7f0000007f);
	uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
	uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);

	return tens | (twos - tens * 10) << 8;
}

#define NUMBER_ZEROS UINT64_C(0x3030303030303030)

/* Exactly eight digits. */
static inline char *number_fixed8(char *out, uint64_t v)
{
	number_store(out, number_digits8(v) + NUMBER_ZEROS);
	return out + 8;
}

/* v < 10^8, without leading zeros. */
static inline char *number_short(char *out, uint64_t v)
{
	uint64_t digits = number_digits8(v);
	unsigned int zeros = (unsigned int)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;

	number_store(out, (digits + NUMBER_ZEROS) >> (8 * zeros));
	return out + 8 - zeros;
}

static inline char *number_decimal(char *out, uint64_t v)
{
	if (LIKELY(v < NUMBER_E8)) {
		return number_short(out, v);
	}
	uint64_t high = v / NUMBER_E8;
	uint64_t low = v - high * NUMBER_E8;

	if (high >= NUMBER_E8) {
		out = number_short(out, high / NUMBER_E8);
		out = number_fixed8(out, high % NUMBER_E8);
	} else {
		out = number_short(out, high);
	}
	return number_fixed8(out, low);
}

static inline char *number_signed(char *out, int64_t v)
{
	*out = '-';
	return number_decimal(out + (v < 0), v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* The eight lower-case hex digits of v, one a byte, the first one lowest. */
static inline uint64_t number_hex8(uint32_t v)
{
	uint64_t x = __builtin_bswap32(v);

	x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
	x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = ((x & UINT64_C(0x000f000f000f000f)) << 8) | (x >> 4 & UINT64_C(0x000f000f000f000f));
	/* Lanes of 10 and more reach bit 4 when 6 is added: they need 'a' - '0' - 10 more. */
	uint64_t letters = (x + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);

	return x + NUMBER_ZEROS + letters * ('a' - '0' - 10);
}

/* At least `digits` hex digits (1 to 16), with leading zeros. */
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
