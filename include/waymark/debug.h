/* SPDX-License-Identifier: MIT */
/*
 * waymark/debug.h - values that events take as `&dyn fmt::Debug`, and how objects of the
 * program become such values: rendered, wherever a message is printed, as Rust prints what
 * implements Debug; recorded as what they are, typed.
 *
 *	trace_usb_run(waymark_debug(slot), waymark_debug_object(put_request, &request));
 *
 *	static void put_request(struct waymark_formatter *f, const void *object)
 *	{
 *		const struct request *r = object;
 *		struct waymark_group g;
 *
 *		waymark_debug_struct(&g, f, "Request");
 *		waymark_debug_field(&g, "sector", waymark_debug(r->sector));
 *		waymark_debug_end(&g);
 *	}
 *
 * Nothing here allocates, takes a lock or changes errno. Any thread, any signal handler; a
 * callback runs in the thread that fires the event, while it fires, and must neither leave by
 * longjmp() or an exception nor keep the formatter.
 *
 * Compiles as C11 (C99 with gcc and clang, which have _Generic) and C++11.
 */
#ifndef WAYMARK_DEBUG_H
#define WAYMARK_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Values ---- */

/* What a value is. The numbers are part of the ABI and of recorded traces. */
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
	WAYMARK_DEBUG_TREE, /* what a callback built, as it is recorded: made by the runtime */
	WAYMARK_DEBUG_OBJECT, /* a callback and what it renders */
	WAYMARK_DEBUG_KINDS
};

struct waymark_formatter;

/*
 * Says what an object is by calls of the builder below. May be called more than once for one
 * event, and must say the same each time as far as it can.
 */
typedef void waymark_debug_fn(struct waymark_formatter *f, const void *object);

/* A value. What it points to is borrowed until the event has been handed over. */
struct waymark_debug {
	uint32_t kind; /* enum waymark_debug_kind */
	uint32_t length; /* of text, bytes and trees: bytes */
	union {
		uint64_t u; /* unsigned integers, truth, code points */
		int64_t i;
		struct {
			uint64_t low;
			uint64_t high; /* two's complement of both */
		} wide;
		float f32;
		double f64;
		const void *pointer; /* also to text, bytes and trees */
		struct {
			waymark_debug_fn *render;
			const void *object;
		} call;
	} as;
};

/* ---- Making values ---- */

/* What has a compiler without 128-bit integers as a u128 or an i128: the pair. */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 waymark_u128;
__extension__ typedef __int128 waymark_i128;
#define WAYMARK_LOW64(v) ((uint64_t)(v))
#define WAYMARK_HIGH64(v) ((uint64_t)((waymark_u128)(v) >> 64))
#else
typedef struct {
	uint64_t low;
	uint64_t high;
} waymark_u128;
typedef waymark_u128 waymark_i128;
#define WAYMARK_LOW64(v) ((v).low)
#define WAYMARK_HIGH64(v) ((v).high)
#endif

#define WAYMARK_DEBUG_MAKER static inline __attribute__((unused)) struct waymark_debug

WAYMARK_DEBUG_MAKER waymark_debug_number(enum waymark_debug_kind kind, uint64_t bits)
{
	struct waymark_debug v;

	v.kind = kind;
	v.length = 0;
	v.as.wide.low = bits;
	v.as.wide.high = 0;
	return v;
}

#define WAYMARK_DEBUG_INTEGER(name, type, kind, extended)                     \
	WAYMARK_DEBUG_MAKER waymark_debug_##name(type value)                  \
	{                                                                     \
		return waymark_debug_number(kind, (uint64_t)(extended)value); \
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

WAYMARK_DEBUG_MAKER waymark_debug_pointer(const void *value)
{
	struct waymark_debug v = waymark_debug_number(WAYMARK_DEBUG_POINTER, 0);

	v.as.pointer = value;
	return v;
}

/* Integers whose width the host decides. */
WAYMARK_DEBUG_MAKER waymark_debug_ulong(unsigned long value)
{
	return waymark_debug_number(
		sizeof(value) == 8 ? WAYMARK_DEBUG_U64 : WAYMARK_DEBUG_U32, value);
}

WAYMARK_DEBUG_MAKER waymark_debug_long(long value)
{
	return waymark_debug_number(
		sizeof(value) == 8 ? WAYMARK_DEBUG_I64 : WAYMARK_DEBUG_I32, (uint64_t)value);
}

/* size_t, and its signed counterpart. */
WAYMARK_DEBUG_MAKER waymark_debug_usize(size_t value)
{
	return waymark_debug_number(
		sizeof(value) == 8 ? WAYMARK_DEBUG_U64 : WAYMARK_DEBUG_U32, value);
}

WAYMARK_DEBUG_MAKER waymark_debug_isize(ptrdiff_t value)
{
	return waymark_debug_number(sizeof(value) == 8 ? WAYMARK_DEBUG_I64 : WAYMARK_DEBUG_I32,
		(uint64_t)(int64_t)value);
}

/* A `char`: the character of that code below 256. */
WAYMARK_DEBUG_MAKER waymark_debug_plain_char(char value)
{
	return waymark_debug_char((unsigned char)value);
}

WAYMARK_DEBUG_MAKER waymark_debug_same(struct waymark_debug value)
{
	return value;
}

/* `length` bytes of text, which need not end in NUL. */
WAYMARK_DEBUG_MAKER waymark_debug_text(const char *text, size_t length)
{
	struct waymark_debug v = waymark_debug_pointer(text);

	v.kind = WAYMARK_DEBUG_STRING;
	v.length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
	return v;
}

WAYMARK_DEBUG_MAKER waymark_debug_string(const char *text)
{
	return waymark_debug_text(text, text ? strlen(text) : 0);
}

/* A [u8] of `length` bytes; NULL: of none. */
WAYMARK_DEBUG_MAKER waymark_debug_bytes(const void *bytes, size_t length)
{
	struct waymark_debug v = waymark_debug_text((const char *)bytes, bytes ? length : 0);

	v.kind = WAYMARK_DEBUG_BYTES;
	return v;
}

/* Whatever `render` makes of the object. */
WAYMARK_DEBUG_MAKER waymark_debug_object(waymark_debug_fn *render, const void *object)
{
	struct waymark_debug v = waymark_debug_number(WAYMARK_DEBUG_OBJECT, 0);

	v.as.call.render = render;
	v.as.call.object = object;
	return v;
}

/* ---- Building what {:?} prints ---- */

/* A struct, tuple, list, set or map that is being told: begun, given fields, ended once. */
struct waymark_group {
	struct waymark_formatter *formatter;
	const void *brackets;
	size_t fields;
	bool named;
};

#pragma GCC visibility push(default)

/* `Name { field: 1 }`, also a variant with named fields; without fields: `Name`. */
void waymark_debug_struct(struct waymark_group *g, struct waymark_formatter *f, const char *name);

/* `Name(1, 2)`, also a variant; a name of "": `(1, 2)`, with one field `(1,)`. */
void waymark_debug_tuple(struct waymark_group *g, struct waymark_formatter *f, const char *name);

void waymark_debug_list(struct waymark_group *g, struct waymark_formatter *f); /* [1, 2] */
void waymark_debug_set(struct waymark_group *g, struct waymark_formatter *f); /* {1, 2} */
void waymark_debug_map(struct waymark_group *g, struct waymark_formatter *f); /* {1: 2} */

/* A field of a struct. */
void waymark_debug_field(struct waymark_group *g, const char *name, struct waymark_debug value);

/* A field of a tuple, an entry of a list or set. */
void waymark_debug_entry(struct waymark_group *g, struct waymark_debug value);

/* An entry of a map. */
void waymark_debug_pair(
	struct waymark_group *g, struct waymark_debug key, struct waymark_debug value);

/* Every group ends once: plainly, or with `..` for the fields of a struct that are not told. */
void waymark_debug_end(struct waymark_group *g);
void waymark_debug_end_more(struct waymark_group *g);

/* A variant or struct without fields; `()`. */
void waymark_debug_name(struct waymark_formatter *f, const char *name);
void waymark_debug_unit(struct waymark_formatter *f);

/* `Some(value)`; `None`. */
void waymark_debug_some(struct waymark_formatter *f, struct waymark_debug value);
void waymark_debug_none(struct waymark_formatter *f);

/* `Name(value)`: Ok, Err, variants of one field, structs that wrap a value. */
void waymark_debug_variant(
	struct waymark_formatter *f, const char *name, struct waymark_debug value);

/* A value in the place of the whole. */
void waymark_debug_value(struct waymark_formatter *f, struct waymark_debug value);

/* Text as it is, indented where lines begin in {:#?}; it is recorded as text. */
void waymark_debug_verbatim(struct waymark_formatter *f, const char *text, size_t length);

/* Whether the message asks for {:#?}; for {:x?} or {:X?}. Nested values obey by themselves. */
bool waymark_debug_is_pretty(const struct waymark_formatter *f);
bool waymark_debug_is_hex(const struct waymark_formatter *f);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

/* ---- waymark_debug(x) ---- */

/*
 * The value of any scalar, string or pointer by its type: `char *` is text that ends in NUL,
 * `char` a character, other pointers an address; what waymark_debug_...() made stays as it is.
 * C has `true` and `false` as int before C23, and enums as integers.
 */
#ifndef __cplusplus
/* clang-format off */
#define waymark_debug(x) _Generic((x), \
	bool: waymark_debug_bool, \
	char: waymark_debug_plain_char, \
	signed char: waymark_debug_i8, \
	unsigned char: waymark_debug_u8, \
	short: waymark_debug_i16, \
	unsigned short: waymark_debug_u16, \
	int: waymark_debug_i32, \
	unsigned int: waymark_debug_u32, \
	long: waymark_debug_long, \
	unsigned long: waymark_debug_ulong, \
	long long: waymark_debug_i64, \
	unsigned long long: waymark_debug_u64, \
	WAYMARK_DEBUG_WIDE_CASES \
	float: waymark_debug_f32, \
	double: waymark_debug_f64, \
	char *: waymark_debug_string, \
	const char *: waymark_debug_string, \
	struct waymark_debug: waymark_debug_same, \
	default: waymark_debug_pointer)(x)
/* clang-format on */
#ifdef __SIZEOF_INT128__
#define WAYMARK_DEBUG_WIDE_CASES \
	waymark_u128:            \
	waymark_debug_u128, waymark_i128 : waymark_debug_i128,
#else
#define WAYMARK_DEBUG_WIDE_CASES
#endif
#endif

#endif
