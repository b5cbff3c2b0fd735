/* SPDX-License-Identifier: MIT */
/*
 * waymark/record_value.h - recording arguments other than plain scalars: strings, numbers of 128
 * bits, text and bytes with a length, and values that carry their kind. Part of waymark/record.h;
 * not for hand-written code.
 *
 * Nothing here calls a function or reads beyond a length that was measured before.
 */
#ifndef WAYMARK_RECORD_VALUE_H
#define WAYMARK_RECORD_VALUE_H

#include <waymark/debug.h>
#include <waymark/record_event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Strings, read no further than printf would ---- */

/*
 * Returns the length of a string argument: WAYMARK_NULL_STRING for NULL, more than `max` if the
 * string is to be cut. Call it once, because another thread may change the string.
 */
WAYMARK_INLINE uint32_t waymark_string_length(const char *s, uint32_t max)
{
	if (!s) {
		return WAYMARK_NULL_STRING;
	}
	const char *end = (const char *)memchr(s, '\0', (size_t)max + 1);

	return end ? (uint32_t)(end - s) : max + 1;
}

/*
 * Returns the same for a string of which printf reads at most `precision` bytes (negative: all), so
 * that it may lack a NUL.
 */
WAYMARK_INLINE uint32_t waymark_string_part(const char *s, int precision, uint32_t max)
{
	if (!s || precision < 0 || (uint32_t)precision > max) {
		return waymark_string_length(s, max);
	}
	const char *end = (const char *)memchr(s, '\0', (size_t)precision);

	return end ? (uint32_t)(end - s) : (uint32_t)precision;
}

/* Returns the most bytes that a string of that length takes, with length word and alignment. */
WAYMARK_INLINE size_t waymark_string_room(uint32_t length, uint32_t max)
{
	if (WAYMARK_UNLIKELY(length > max)) {
		length = length == WAYMARK_NULL_STRING ? 1 : max;
	}
	return (size_t)length + 8;
}

/*
 * Stores NULL as one NUL; stores a cut string with "..." and a NUL, which no other string has.
 * Generated code leaves such strings to waymark_ctf() or waymark_simple().
 */
static inline void waymark_record_odd_string(struct waymark_record *r, const char *s, uint32_t max)
{
	uint32_t length = s ? max : 1;

	waymark_record_value(r, &length, sizeof(length));
	if (s) {
		waymark_record_bytes(r, s, max - 4);
	}
	waymark_record_bytes(r, s ? "..." : "", s ? 4 : 1);
}

/* Stores a string whose length waymark_string_length() returned. */
WAYMARK_INLINE void waymark_record_string(
	struct waymark_record *r, const char *s, uint32_t length, uint32_t max)
{
	if (WAYMARK_UNLIKELY(length > max)) {
		waymark_record_odd_string(r, length == WAYMARK_NULL_STRING ? NULL : s, max);
		return;
	}
	waymark_record_value(r, &length, sizeof(length));
	waymark_record_bytes(r, s, length);
}

/* The most bytes of an address as text: `0x`, two digits a byte, length word, alignment. */
#define WAYMARK_ADDRESS_ROOM (2 + 2 * sizeof(void *) + 8)

/* Writes a string's address as printf's %p does; returns the text's length. */
static inline uint32_t waymark_address_text(char *text, const char *s)
{
	uintptr_t address = (uintptr_t)s;
	uint32_t length = 2;

	memcpy(text, s ? "0x" : "(nil)", s ? 2 : 5);
	for (unsigned int bits = 8 * sizeof(address); bits > 0; bits -= 4) {
		unsigned int digit = (unsigned int)(address >> (bits - 4)) & 15;

		if (digit || length > 2) {
			text[length++] = "0123456789abcdef"[digit];
		}
	}
	return s ? length : 5;
}

/* Stores a string's address as text, for events that print only the address. */
WAYMARK_INLINE void waymark_record_address(struct waymark_record *r, const char *s)
{
	char text[WAYMARK_ADDRESS_ROOM];
	uint32_t length = waymark_address_text(text, s);

	waymark_record_value(r, &length, sizeof(length));
	waymark_record_bytes(r, text, length);
}

/* ---- 128 bits: two words of 64, the low one first ---- */

#define WAYMARK_WIDE_ROOM 24u

WAYMARK_INLINE void waymark_record_wide(struct waymark_record *r, uint64_t low, uint64_t high)
{
	waymark_record_value(r, &low, sizeof(low));
	waymark_record_value(r, &high, sizeof(high));
}

/*
 * ---- Text and bytes with a length, recorded as: the full size, the recorded length, the bytes
 * ----
 */

/* Returns the size of text: WAYMARK_NULL_STRING for NULL; capped below it. */
WAYMARK_INLINE uint32_t waymark_text_size(const void *text, size_t length)
{
	if (!text) {
		return WAYMARK_NULL_STRING;
	}
	return length < WAYMARK_NULL_STRING ? (uint32_t)length : WAYMARK_NULL_STRING - 1;
}

/* Returns the size of bytes; 0 for NULL. */
WAYMARK_INLINE uint32_t waymark_bytes_size(const void *bytes, size_t length)
{
	return bytes ? waymark_text_size(bytes, length) : 0;
}

/* Returns how many of `size` bytes are recorded. */
WAYMARK_INLINE uint32_t waymark_counted_length(uint32_t size, uint32_t max)
{
	if (WAYMARK_UNLIKELY(size > max)) {
		return size == WAYMARK_NULL_STRING ? 0 : max;
	}
	return size;
}

/* Returns the most bytes that text or bytes take, with the two words and their alignment. */
WAYMARK_INLINE size_t waymark_counted_room(uint32_t size, uint32_t max)
{
	return (size_t)waymark_counted_length(size, max) + 12;
}

WAYMARK_INLINE void waymark_record_counted(
	struct waymark_record *r, const void *bytes, uint32_t size, uint32_t max)
{
	uint32_t length = waymark_counted_length(size, max);

	waymark_record_value(r, &size, sizeof(size));
	waymark_record_value(r, &length, sizeof(length));
	if (length) {
		waymark_record_bytes(r, bytes, length);
	}
}

/* ---- Values as text ---- */

#pragma GCC visibility push(default)

/* The most bytes of a value as text, for tracers that take only text. */
#define WAYMARK_TEXT_MAX 256u

/*
 * Prints the value as {:?} does into `size` bytes, NUL included; text that is cut ends in "...".
 * Any thread; as async-signal-safe as the value's callback.
 */
void waymark_debug_print(const struct waymark_debug *value, char *buffer, size_t size);

#pragma GCC visibility pop

/* ---- Values, recorded as a byte with the kind, then the value ---- */

/* Returns true if a value is recorded only after a callback, also for unknown kinds. */
WAYMARK_INLINE bool waymark_debug_is_call(const struct waymark_debug *v)
{
	return v->kind > WAYMARK_DEBUG_TREE;
}

/* Returns true if the kind has a length: text, bytes, trees. */
WAYMARK_INLINE bool waymark_debug_is_long(const struct waymark_debug *v)
{
	return v->kind >= WAYMARK_DEBUG_STRING && v->kind <= WAYMARK_DEBUG_TREE;
}

WAYMARK_INLINE uint32_t waymark_debug_size(const struct waymark_debug *v)
{
	return v->kind == WAYMARK_DEBUG_STRING ? waymark_text_size(v->as.pointer, v->length)
					       : waymark_bytes_size(v->as.pointer, v->length);
}

/* Returns the most bytes that the value takes: kind, alignment, and 16 bytes or its length. */
WAYMARK_INLINE size_t waymark_debug_room(const struct waymark_debug *v, uint32_t max)
{
	if (waymark_debug_is_long(v)) {
		return 4 + waymark_counted_room(waymark_debug_size(v), max);
	}
	return WAYMARK_WIDE_ROOM;
}

/* The width of each kind of number, as a power of two in two bits. */
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

/* Returns the number's bits, moved to the first bytes of a word. */
WAYMARK_INLINE uint64_t waymark_debug_bits(const struct waymark_debug *v, size_t width)
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

/* Stores a number of at most 64 bits by storing a whole word. */
WAYMARK_INLINE void waymark_record_word(struct waymark_record *r, const struct waymark_debug *v)
{
	size_t width = (size_t)1 << (WAYMARK_DEBUG_WIDTHS >> 2 * v->kind & 3);
	uint64_t bits = waymark_debug_bits(v, width);

	r->used = (r->used + width - 1) & ~(width - 1);
	memcpy(r->start + r->used, &bits, sizeof(bits));
	r->used += width;
}

/* Stores a value that is not a callback. */
WAYMARK_INLINE void waymark_record_debug(
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
