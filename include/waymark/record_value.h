/* SPDX-License-Identifier: MIT */
/*
 * waymark/record_value.h - how arguments are recorded that C's own types do not have: numbers
 * of 128 bits, text and bytes with their length, and values that say themselves what they
 * are. Part of waymark/record.h; not for hand-written code.
 *
 * Nothing here calls anything or reads what is not measured before.
 */
#ifndef WAYMARK_RECORD_VALUE_H
#define WAYMARK_RECORD_VALUE_H

#include <waymark/flatten.h>
#include <waymark/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 128 bits: two words of 64, the low one first ---- */

#define WAYMARK_WIDE_ROOM 24u

static inline void waymark_record_wide(struct waymark_record *r, uint64_t low, uint64_t high)
{
	waymark_record_value(r, &low, sizeof(low));
	waymark_record_value(r, &high, sizeof(high));
}

/* ---- Text and bytes with their length: the size that they have, how much is here, that ---- */

/* What text has: WAYMARK_NULL_STRING for NULL, and of what is longer than can be said the most. */
static inline uint32_t waymark_text_size(const void *text, size_t length)
{
	if (!text) {
		return WAYMARK_NULL_STRING;
	}
	return length < WAYMARK_NULL_STRING ? (uint32_t)length : WAYMARK_NULL_STRING - 1;
}

/* The same of bytes, of which NULL has none. */
static inline uint32_t waymark_bytes_size(const void *bytes, size_t length)
{
	return bytes ? waymark_text_size(bytes, length) : 0;
}

/* How much is recorded of such a size. */
static inline uint32_t waymark_counted_length(uint32_t size, uint32_t max)
{
	if (WAYMARK_UNLIKELY(size > max)) {
		return size == WAYMARK_NULL_STRING ? 0 : max;
	}
	return size;
}

/* What it takes at most, with its two words and their alignment. */
static inline size_t waymark_counted_room(uint32_t size, uint32_t max)
{
	return (size_t)waymark_counted_length(size, max) + 12;
}

static inline void waymark_record_counted(
	struct waymark_record *r, const void *bytes, uint32_t size, uint32_t max)
{
	uint32_t length = waymark_counted_length(size, max);

	waymark_record_value(r, &size, sizeof(size));
	waymark_record_value(r, &length, sizeof(length));
	if (length) {
		memcpy(r->pos, bytes, length);
	}
	r->pos += length;
}

/* ---- Values as text ---- */

#pragma GCC visibility push(default)

/* What a value has as text, for tracers that take nothing else. */
#define WAYMARK_TEXT_MAX 256u

/*
 * The value as {:?} shows it, in `size` bytes with a NUL; what is longer ends in "...". Any
 * thread; async-signal-safe as far as a callback is.
 */
void waymark_debug_print(const struct waymark_debug *value, char *buffer, size_t size);

#pragma GCC visibility pop

/* ---- Values: the kind in a byte, then what it is ---- */

/* The kinds that are long: text, bytes and trees. */
static inline bool waymark_debug_is_long(const struct waymark_debug *v)
{
	return v->kind >= WAYMARK_DEBUG_STRING && v->kind <= WAYMARK_DEBUG_TREE;
}

static inline uint32_t waymark_debug_size(const struct waymark_debug *v)
{
	return v->kind == WAYMARK_DEBUG_STRING ? waymark_text_size(v->as.pointer, v->length)
					       : waymark_bytes_size(v->as.pointer, v->length);
}

/* Enough for a kind, an alignment and 16 bytes, whatever it is. */
static inline size_t waymark_debug_room(const struct waymark_debug *v, uint32_t max)
{
	if (waymark_debug_is_long(v)) {
		return 4 + waymark_counted_room(waymark_debug_size(v), max);
	}
	return WAYMARK_WIDE_ROOM;
}

/* How wide each kind of number is: two bits of these are the power of two. */
#define WAYMARK_DEBUG_WIDTH(kind, power) ((uint64_t)(power) << (2 * (kind)))
#define WAYMARK_DEBUG_WIDTHS                                                                     \
	(WAYMARK_DEBUG_WIDTH(WAYMARK_DEBUG_U16, 1) | WAYMARK_DEBUG_WIDTH(WAYMARK_DEBUG_U32, 2) | \
		WAYMARK_DEBUG_WIDTH(WAYMARK_DEBUG_U64, 3) |                                      \
		WAYMARK_DEBUG_WIDTH(WAYMARK_DEBUG_I16, 1) |                                      \
		WAYMARK_DEBUG_WIDTH(WAYMARK_DEBUG_I32, 2) |                                      \
		WAYMARK_DEBUG_WIDTH(WAYMARK_DEBUG_I64, 3) |                                      \
		WAYMARK_DEBUG_WIDTH(WAYMARK_DEBUG_F32, 2) |                                      \
		WAYMARK_DEBUG_WIDTH(WAYMARK_DEBUG_F64, 3) |                                      \
		WAYMARK_DEBUG_WIDTH(WAYMARK_DEBUG_CHAR, 2) |                                     \
		WAYMARK_DEBUG_WIDTH(WAYMARK_DEBUG_POINTER, sizeof(void *) == 8 ? 3 : 2))

/* The bits of a number in the first bytes of a word. */
static inline uint64_t waymark_debug_bits(const struct waymark_debug *v, size_t width)
{
	uint64_t bits;

	memcpy(&bits, &v->as, sizeof(bits));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	if (v->kind != WAYMARK_DEBUG_F32) {
		bits <<= 64 - 8 * width;
	}
#else
	(void)width;
#endif
	return bits;
}

/* Stores a number of at most 64 bits, as a whole word, of which some counts. */
static inline void waymark_record_word(struct waymark_record *r, const struct waymark_debug *v)
{
	size_t width = (size_t)1 << (WAYMARK_DEBUG_WIDTHS >> 2 * v->kind & 3);
	uint64_t bits = waymark_debug_bits(v, width);

	r->pos = (char *)(((uintptr_t)r->pos + width - 1) & ~(uintptr_t)(width - 1));
	memcpy(r->pos, &bits, sizeof(bits));
	r->pos += width;
}

/* Stores a value that is no callback. */
static inline void waymark_record_debug(
	struct waymark_record *r, const struct waymark_debug *v, uint32_t max)
{
	uint8_t kind = (uint8_t)v->kind;

	waymark_record_value(r, &kind, sizeof(kind));
	if (waymark_debug_is_long(v)) {
		waymark_record_counted(r, v->as.pointer, waymark_debug_size(v), max);
		return;
	}
	if (kind == WAYMARK_DEBUG_U128 || kind == WAYMARK_DEBUG_I128) {
		waymark_record_wide(r, v->as.wide.low, v->as.wide.high);
		return;
	}
	waymark_record_word(r, v);
}

#ifdef __cplusplus
}
#endif

#endif
