/* SPDX-License-Identifier: MIT */
/*
 * waymark/record_string.h - how `char *` arguments are recorded: as far as printf would read
 * them. Part of waymark/record.h; not for hand-written code.
 */
#ifndef WAYMARK_RECORD_STRING_H
#define WAYMARK_RECORD_STRING_H

#include <waymark/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a string may take of `max`; not less where nothing may be called. */
static inline uint32_t waymark_string_limit(uint32_t max, bool wait)
{
	return wait ? waymark_string_max(max) : max;
}

/*
 * The length of a string argument, read once, because another thread may change
 * it meanwhile: WAYMARK_NULL_STRING for NULL; more than `max` means that it is cut.
 */
static inline uint32_t waymark_string_length(const char *s, uint32_t max)
{
	if (!s) {
		return WAYMARK_NULL_STRING;
	}
	const char *end = (const char *)memchr(s, '\0', (size_t)max + 1);

	return end ? (uint32_t)(end - s) : max + 1;
}

/*
 * The same of a string of which printf reads no more than `precision` bytes, and
 * which may have no NUL then; negative: all.
 */
static inline uint32_t waymark_string_part(const char *s, int precision, uint32_t max)
{
	if (!s || precision < 0 || (uint32_t)precision > max) {
		return waymark_string_length(s, max);
	}
	const char *end = (const char *)memchr(s, '\0', (size_t)precision);

	return end ? (uint32_t)(end - s) : (uint32_t)precision;
}

/* What a string of that length takes at most, its length word and alignment counted in. */
static inline size_t waymark_string_room(uint32_t length, uint32_t max)
{
	if (WAYMARK_UNLIKELY(length > max)) {
		length = length == WAYMARK_NULL_STRING ? 1 : max;
	}
	return (size_t)length + 8;
}

/* NULL is one NUL, and a string that is cut ends in "..." and a NUL, which no other has. */
static inline void waymark_record_odd_string(struct waymark_record *r, const char *s, uint32_t max)
{
	uint32_t length = s ? max : 1;

	waymark_record_value(r, &length, sizeof(length));
	if (s) {
		memcpy(r->pos, s, max - 4);
		memcpy(r->pos + max - 4, "...", 3);
	}
	r->pos[length - 1] = '\0';
	r->pos += length;
}

/* Stores a string of waymark_string_length(). */
static inline void waymark_record_string(
	struct waymark_record *r, const char *s, uint32_t length, uint32_t max)
{
	if (WAYMARK_UNLIKELY(length > max)) {
		waymark_record_odd_string(r, length == WAYMARK_NULL_STRING ? NULL : s, max);
		return;
	}
	waymark_record_value(r, &length, sizeof(length));
	memcpy(r->pos, s, length);
	r->pos += length;
}

/* `0x` and two digits for each byte, a length word and its alignment. */
#define WAYMARK_ADDRESS_ROOM (2 + 2 * sizeof(void *) + 8)

/* Writes where a string is as printf's %p does, and returns the length. */
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

/* Stores where a string is, as text, for events that print that and nothing of it. */
static inline void waymark_record_address(struct waymark_record *r, const char *s)
{
	char text[WAYMARK_ADDRESS_ROOM];
	uint32_t length = waymark_address_text(text, s);

	waymark_record_value(r, &length, sizeof(length));
	memcpy(r->pos, text, length);
	r->pos += length;
}

#ifdef __cplusplus
}
#endif

#endif
