/* SPDX-License-Identifier: MIT */
/*
 * waymark/site_pack.h - scalars as they lie in a record, put together where they are known:
 * the compiler makes a store of a constant place of each word. Part of waymark/site.h; not for
 * hand-written code.
 *
 * Every word is stored whole, so that whoever copies words neither waits for narrow stores nor
 * finds anything between the arguments but zeros.
 */
#ifndef WAYMARK_SITE_PACK_H
#define WAYMARK_SITE_PACK_H

#include <waymark/value.h>

#define WAYMARK_SITE_INLINE static inline __attribute__((always_inline, unused))

/* How many bytes a scalar of that kind has; of 128 bits, each half. */
WAYMARK_SITE_INLINE uint32_t waymark_site_width(uint32_t kind)
{
	switch (kind) {
	case WAYMARK_DEBUG_U8:
	case WAYMARK_DEBUG_I8:
	case WAYMARK_DEBUG_BOOL:
		return 1;
	case WAYMARK_DEBUG_U16:
	case WAYMARK_DEBUG_I16:
		return 2;
	case WAYMARK_DEBUG_U32:
	case WAYMARK_DEBUG_I32:
	case WAYMARK_DEBUG_F32:
	case WAYMARK_DEBUG_CHAR:
		return 4;
	case WAYMARK_DEBUG_POINTER:
		return sizeof(void *);
	default:
		return 8;
	}
}

/* Whether its kind stands before it, in a byte. */
WAYMARK_SITE_INLINE bool waymark_site_is_tagged(uint32_t kind)
{
	return kind == WAYMARK_DEBUG_CHAR || kind == WAYMARK_DEBUG_POINTER;
}

WAYMARK_SITE_INLINE bool waymark_site_is_wide(uint32_t kind)
{
	return kind == WAYMARK_DEBUG_U128 || kind == WAYMARK_DEBUG_I128;
}

/* Where what has that width lies, not before `at`. */
WAYMARK_SITE_INLINE uint32_t waymark_site_align(uint32_t at, uint32_t width)
{
	return (at + width - 1) & ~(width - 1);
}

/* Stores the low bytes of `bits`; returns what is behind them. */
WAYMARK_SITE_INLINE uint32_t waymark_site_place(
	uint64_t *words, uint32_t at, uint32_t width, uint64_t bits)
{
	at = waymark_site_align(at, width);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	uint32_t shift = 8 * (8 - width - at % 8);
#else
	uint32_t shift = 8 * (at % 8);
#endif
	bits &= UINT64_MAX >> (64 - 8 * width);
	/* Whatever is the first of a word begins where that does. */
	words[at / 8] = (at % 8 ? words[at / 8] : 0) | bits << shift;
	return at + width;
}

/* The same of a scalar. */
WAYMARK_SITE_INLINE uint32_t waymark_site_pack(
	uint64_t *words, uint32_t at, struct waymark_debug value)
{
	uint64_t bits = value.as.u;
	uint32_t half;

	if (value.kind == WAYMARK_DEBUG_F32) {
		memcpy(&half, &value.as.f32, sizeof(half));
		bits = half;
	}
	if (waymark_site_is_tagged(value.kind)) {
		at = waymark_site_place(words, at, 1, value.kind);
	}
	at = waymark_site_place(words, at, waymark_site_width(value.kind), bits);
	if (waymark_site_is_wide(value.kind)) {
		at = waymark_site_place(words, at, 8, value.as.wide.high);
	}
	return at;
}

#endif
