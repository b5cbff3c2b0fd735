/* SPDX-License-Identifier: MIT */
/*
 * The one definition of arguments whose length or kind is stored in the record (format/packet.h has
 * the others). Everything is aligned naturally, counted from the record's start, which is at a
 * multiple of 8.
 *
 *	blob   { u32 size, u32 length, bytes }    size: before a cut; more than length: was cut
 *	debug  { u8 kind, value }                 a number of its own width, a pair, or a blob
 *	pair   { u64 low, u64 high }              128 bits
 *
 * A NULL string of a debug value has the size DEBUG_NULL and the length 0. In a simpletrace file a
 * debug value is a string: the kind, then the value's bytes without padding; of a blob only its
 * bytes. Calls string.h only, and may be used in any context.
 */
#ifndef FORMAT_DEBUG_H
#define FORMAT_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEBUG_NULL UINT32_MAX

enum debug_form { DEBUG_UNSIGNED, DEBUG_SIGNED, DEBUG_PAIR, DEBUG_BLOB };

/* `bytes` of a pointer: depends on the traced host. */
#define DEBUG_POINTER_BYTES UINT8_MAX

enum debug_kind {
#define DEBUG_KIND(name, label, field, form, bytes) DEBUG_##name,
#include "format/debug.def"
#undef DEBUG_KIND
	DEBUG_KINDS
};

/* The form of a kind's values in a record. */
struct debug_shape {
	uint8_t form; /* of enum debug_form */
	uint8_t bytes; /* of a number; 0: a blob */
};

static const struct debug_shape debug_shapes[DEBUG_KINDS] = {
#define DEBUG_KIND(name, label, field, form, bytes) { form, bytes },
#include "format/debug.def"
#undef DEBUG_KIND
};

/* Returns the bytes of a number of that kind, which is below DEBUG_KINDS; 0 for a blob. */
static inline size_t debug_bytes(unsigned int kind, size_t pointer_bytes)
{
	size_t bytes = debug_shapes[kind].bytes;

	return bytes == DEBUG_POINTER_BYTES ? pointer_bytes : bytes;
}

static inline size_t debug_align(size_t at, size_t align)
{
	return (at + align - 1) & ~(align - 1);
}

/* Returns the aligned offset of a number of that size at or after `at`. A pair is aligned to 8. */
static inline size_t debug_number_at(size_t at, size_t bytes)
{
	return debug_align(at, bytes > 8 ? 8 : bytes);
}

/* Returns the offset of the bytes of a blob that follows `at`. */
static inline size_t debug_blob_at(size_t at)
{
	return debug_align(at, sizeof(uint32_t)) + 2 * sizeof(uint32_t);
}

/* Loads a word of a record of either byte order. */
static inline uint32_t debug_word(const unsigned char *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

/*
 * Returns the end offset of a blob that follows `at`; SIZE_MAX if it exceeds the record's `n`
 * bytes.
 */
static inline size_t debug_blob_end(const unsigned char *record, size_t at, size_t n, bool swap)
{
	at = debug_blob_at(at);
	if (at > n) {
		return SIZE_MAX;
	}
	uint32_t length = debug_word(record + at - sizeof(length), swap);

	return length <= n - at ? at + length : SIZE_MAX;
}

/* Returns the end offset of the debug value at `at`; SIZE_MAX if it exceeds the record. */
static inline size_t debug_end(
	const unsigned char *record, size_t at, size_t n, bool swap, size_t pointer_bytes)
{
	if (at >= n || record[at] >= DEBUG_KINDS) {
		return SIZE_MAX;
	}
	size_t bytes = debug_bytes(record[at], pointer_bytes);

	if (bytes == 0) {
		return debug_blob_end(record, at + 1, n, swap);
	}
	at = debug_number_at(at + 1, bytes) + bytes;
	return at <= n ? at : SIZE_MAX;
}

#endif
