/* SPDX-License-Identifier: MIT */
/*
 * waymark/value.h - values of struct waymark_debug and the functions that make each kind. Part of
 * waymark/debug.h, which programs include. Plain data: no function here calls the library.
 */
#ifndef WAYMARK_VALUE_H
#define WAYMARK_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Values ---- */

/* The kind of a value. The numbers are part of the ABI and of recorded traces. */
enum waymark_debug_kind {
	WAYMARK_DEBUG_U8,
	WAYMARK_DEBUG_U16,
	WAYMARK_DEBUG_U32,
	WAYMARK_DEBUG_U64,
	WAYMARK_DEBUG_I8,
	WAYMARK_DEBUG_I16,
	WAYMARK_DEBUG_I32,
	WAYMARK_DEBUG_I64,
	WAYMARK_DEBUG_U128,
	WAYMARK_DEBUG_I128,
	WAYMARK_DEBUG_F32,
	WAYMARK_DEBUG_F64,
	WAYMARK_DEBUG_BOOL,
	WAYMARK_DEBUG_CHAR, /* a code point of Unicode */
	WAYMARK_DEBUG_POINTER,
	WAYMARK_DEBUG_STRING, /* str: text and its length; a NULL text is printed as (null) */
	WAYMARK_DEBUG_BYTES, /* [u8] */
	WAYMARK_DEBUG_TREE, /* the recorded result of a callback: made by the runtime */
	WAYMARK_DEBUG_OBJECT, /* a callback and its object */
	WAYMARK_DEBUG_DURATION, /* `wide`: nanoseconds below 10^9, seconds; recorded as a tree */
	WAYMARK_DEBUG_FILE, /* `i`: a descriptor in this struct of Rust, as the next three; recorded
			       so */
	WAYMARK_DEBUG_OWNED_FD,
	WAYMARK_DEBUG_BORROWED_FD,
	WAYMARK_DEBUG_EVENTFD,
	WAYMARK_DEBUG_KINDS
};

struct waymark_formatter;

/*
 * Describes an object by calls of the builder of waymark/debug.h. It may be called more than once
 * for one event, and should make the same calls each time.
 */
typedef void waymark_debug_fn(struct waymark_formatter *f, const void *object);

/* A value. Memory that it points to is borrowed until the event's call returns. */
struct waymark_debug {
	uint32_t kind; /* enum waymark_debug_kind */
	uint32_t length; /* bytes of text, bytes and trees, or of an address */
	union {
		uint64_t u; /* unsigned integers, truth, code points, addresses */
		int64_t i;
		struct {
			uint64_t low;
			uint64_t high; /* two's complement of both */
		} wide;
		float f32;
		double f64;
		const void *pointer; /* to text, bytes and trees */
		struct {
			waymark_debug_fn *render;
			const void *object;
		} call;
	} as;
};

/* ---- Making values ---- */

#define WAYMARK_DEBUG_INLINE static inline __attribute__((unused))
#define WAYMARK_DEBUG_MAKER WAYMARK_DEBUG_INLINE struct waymark_debug

/* Each language's own cast, so that neither warns. */
#ifdef __cplusplus
#define WAYMARK_CAST(type, x) static_cast<type>(x)
#define WAYMARK_ADDRESS(pointer) reinterpret_cast<uintptr_t>(pointer)
#else
#define WAYMARK_CAST(type, x) ((type)(x))
#define WAYMARK_ADDRESS(pointer) ((uintptr_t)(pointer))
#endif

/* A u128 and an i128. If the compiler has no such integers, as on 32-bit hosts, both are a pair. */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 waymark_u128;
__extension__ typedef __int128 waymark_i128;
#define WAYMARK_LOW64(v) WAYMARK_CAST(uint64_t, v)
#define WAYMARK_HIGH64(v) WAYMARK_CAST(uint64_t, WAYMARK_CAST(waymark_u128, v) >> 64)
#else
typedef struct {
	uint64_t low;
	uint64_t high;
} waymark_u128;
typedef waymark_u128 waymark_i128;
#define WAYMARK_LOW64(v) ((v).low)
#define WAYMARK_HIGH64(v) ((v).high)
#endif

/* Makes the number from its halves, with or without support by the compiler. */
WAYMARK_DEBUG_INLINE waymark_u128 waymark_u128_of(uint64_t high, uint64_t low)
{
#ifdef __SIZEOF_INT128__
	return WAYMARK_CAST(waymark_u128, high) << 64 | low;
#else
	waymark_u128 n = { low, high };

	return n;
#endif
}

/* Makes an i128 from its halves, in two's complement. */
WAYMARK_DEBUG_INLINE waymark_i128 waymark_i128_of(uint64_t high, uint64_t low)
{
#ifdef __SIZEOF_INT128__
	return WAYMARK_CAST(waymark_i128, waymark_u128_of(high, low));
#else
	return waymark_u128_of(high, low);
#endif
}

WAYMARK_DEBUG_MAKER waymark_debug_number(enum waymark_debug_kind kind, uint64_t bits)
{
	struct waymark_debug v;

	v.kind = kind;
	v.length = 0;
	v.as.wide.low = bits;
	v.as.wide.high = 0;
	return v;
}

#define WAYMARK_DEBUG_INTEGER(name, type, kind, extended)                             \
	WAYMARK_DEBUG_MAKER waymark_debug_##name(type value)                          \
	{                                                                             \
		return waymark_debug_number(                                          \
			kind, WAYMARK_CAST(uint64_t, WAYMARK_CAST(extended, value))); \
	}

WAYMARK_DEBUG_INTEGER(u8, uint8_t, WAYMARK_DEBUG_U8, uint64_t)
WAYMARK_DEBUG_INTEGER(u16, uint16_t, WAYMARK_DEBUG_U16, uint64_t)
WAYMARK_DEBUG_INTEGER(u32, uint32_t, WAYMARK_DEBUG_U32, uint64_t)
WAYMARK_DEBUG_INTEGER(u64, uint64_t, WAYMARK_DEBUG_U64, uint64_t)
WAYMARK_DEBUG_INTEGER(i8, int8_t, WAYMARK_DEBUG_I8, int64_t)
WAYMARK_DEBUG_INTEGER(i16, int16_t, WAYMARK_DEBUG_I16, int64_t)
WAYMARK_DEBUG_INTEGER(i32, int32_t, WAYMARK_DEBUG_I32, int64_t)
WAYMARK_DEBUG_INTEGER(i64, int64_t, WAYMARK_DEBUG_I64, int64_t)
WAYMARK_DEBUG_INTEGER(bool, bool, WAYMARK_DEBUG_BOOL, uint64_t)
WAYMARK_DEBUG_INTEGER(char, uint32_t, WAYMARK_DEBUG_CHAR, uint64_t) /* a code point */

WAYMARK_DEBUG_MAKER waymark_debug_wide(enum waymark_debug_kind kind, uint64_t high, uint64_t low)
{
	struct waymark_debug v = waymark_debug_number(kind, low);

	v.as.wide.high = high;
	return v;
}

WAYMARK_DEBUG_MAKER waymark_debug_u128(waymark_u128 value)
{
	return waymark_debug_wide(WAYMARK_DEBUG_U128, WAYMARK_HIGH64(value), WAYMARK_LOW64(value));
}

WAYMARK_DEBUG_MAKER waymark_debug_i128(waymark_i128 value)
{
	return waymark_debug_wide(WAYMARK_DEBUG_I128, WAYMARK_HIGH64(value), WAYMARK_LOW64(value));
}

WAYMARK_DEBUG_MAKER waymark_debug_f32(float value)
{
	struct waymark_debug v = waymark_debug_number(WAYMARK_DEBUG_F32, 0);

	v.as.f32 = value;
	return v;
}

WAYMARK_DEBUG_MAKER waymark_debug_f64(double value)
{
	struct waymark_debug v = waymark_debug_number(WAYMARK_DEBUG_F64, 0);

	v.as.f64 = value;
	return v;
}

/* Makes an address, which is never read from. */
WAYMARK_DEBUG_MAKER waymark_debug_pointer(const volatile void *value)
{
	struct waymark_debug v =
		waymark_debug_number(WAYMARK_DEBUG_POINTER, WAYMARK_ADDRESS(value));

	v.length = WAYMARK_CAST(uint32_t, sizeof(value));
	return v;
}

/* Makes a value from a long double, which is rounded to a double. */
WAYMARK_DEBUG_MAKER waymark_debug_long_double(long double value)
{
	return waymark_debug_f64(WAYMARK_CAST(double, value));
}

/* Integers whose width depends on the host: long, size_t and its signed counterpart. */
#define WAYMARK_DEBUG_BY_WIDTH(letter, type) \
	(sizeof(type) == 8 ? WAYMARK_DEBUG_##letter##64 : WAYMARK_DEBUG_##letter##32)

WAYMARK_DEBUG_INTEGER(ulong, unsigned long, WAYMARK_DEBUG_BY_WIDTH(U, long), uint64_t)
WAYMARK_DEBUG_INTEGER(long, long, WAYMARK_DEBUG_BY_WIDTH(I, long), int64_t)
WAYMARK_DEBUG_INTEGER(usize, size_t, WAYMARK_DEBUG_BY_WIDTH(U, size_t), uint64_t)
WAYMARK_DEBUG_INTEGER(isize, ptrdiff_t, WAYMARK_DEBUG_BY_WIDTH(I, ptrdiff_t), int64_t)

/* Makes a character from a `char`: its code is below 256. */
WAYMARK_DEBUG_MAKER waymark_debug_plain_char(char value)
{
	return waymark_debug_char(WAYMARK_CAST(unsigned char, value));
}

WAYMARK_DEBUG_MAKER waymark_debug_same(struct waymark_debug value)
{
	return value;
}

/* Makes text of `length` bytes, which need not end in NUL; NULL is printed as (null). */
WAYMARK_DEBUG_MAKER waymark_debug_text(const char *text, size_t length)
{
	struct waymark_debug v = waymark_debug_number(WAYMARK_DEBUG_STRING, 0);

	v.as.pointer = text;
	v.length = length < UINT32_MAX ? WAYMARK_CAST(uint32_t, length) : UINT32_MAX;
	return v;
}

WAYMARK_DEBUG_MAKER waymark_debug_string(const char *text)
{
	return waymark_debug_text(text, text ? strlen(text) : 0);
}

/* Makes a [u8] of `length` bytes; NULL is empty. */
WAYMARK_DEBUG_MAKER waymark_debug_bytes(const void *bytes, size_t length)
{
	struct waymark_debug v = waymark_debug_text(NULL, bytes ? length : 0);

	v.kind = WAYMARK_DEBUG_BYTES;
	v.as.pointer = bytes;
	return v;
}

/*
 * Makes a Duration. Nanoseconds from 10^9 on become seconds; the value is capped at the longest
 * Duration.
 */
WAYMARK_DEBUG_MAKER waymark_debug_duration(uint64_t seconds, uint64_t nanoseconds)
{
	uint64_t more = nanoseconds / 1000000000u;
	bool fits = more <= UINT64_MAX - seconds;

	return waymark_debug_wide(WAYMARK_DEBUG_DURATION,
		fits ? nanoseconds % 1000000000u : 999999999u, fits ? seconds + more : UINT64_MAX);
}

/* Make a descriptor, shown as Rust's File, OwnedFd, BorrowedFd, or vmm-sys-util's EventFd. */
WAYMARK_DEBUG_INTEGER(file, int, WAYMARK_DEBUG_FILE, int64_t)
WAYMARK_DEBUG_INTEGER(owned_fd, int, WAYMARK_DEBUG_OWNED_FD, int64_t)
WAYMARK_DEBUG_INTEGER(borrowed_fd, int, WAYMARK_DEBUG_BORROWED_FD, int64_t)
WAYMARK_DEBUG_INTEGER(eventfd, int, WAYMARK_DEBUG_EVENTFD, int64_t)

/* Makes an object that `render` describes. */
WAYMARK_DEBUG_MAKER waymark_debug_object(waymark_debug_fn *render, const void *object)
{
	struct waymark_debug v = waymark_debug_number(WAYMARK_DEBUG_OBJECT, 0);

	v.as.call.render = render;
	v.as.call.object = object;
	return v;
}

#ifdef __cplusplus
}
#endif

#endif
