/* SPDX-License-Identifier: MIT */
/*
 * waymark/kind.h - what waymark_debug(x) makes of a value of that type, as a constant: enum
 * waymark_debug_kind, and WAYMARK_DEBUG_OBJECT of what says itself what it is. In C++ it is the
 * size of what an overloaded function refers to. Evaluates nothing. Part of waymark/site.h; not
 * for hand-written code.
 */
#ifndef WAYMARK_KIND_H
#define WAYMARK_KIND_H

#include <waymark/debug.h>

/* What each maker of WAYMARK_DEBUG_TYPES() makes. */
#define WAYMARK_KIND_bool WAYMARK_DEBUG_BOOL
#define WAYMARK_KIND_plain_char WAYMARK_DEBUG_CHAR
#define WAYMARK_KIND_i8 WAYMARK_DEBUG_I8
#define WAYMARK_KIND_u8 WAYMARK_DEBUG_U8
#define WAYMARK_KIND_i16 WAYMARK_DEBUG_I16
#define WAYMARK_KIND_u16 WAYMARK_DEBUG_U16
#define WAYMARK_KIND_i32 WAYMARK_DEBUG_I32
#define WAYMARK_KIND_u32 WAYMARK_DEBUG_U32
#define WAYMARK_KIND_long WAYMARK_DEBUG_BY_WIDTH(I, long)
#define WAYMARK_KIND_ulong WAYMARK_DEBUG_BY_WIDTH(U, long)
#define WAYMARK_KIND_i64 WAYMARK_DEBUG_I64
#define WAYMARK_KIND_u64 WAYMARK_DEBUG_U64
#define WAYMARK_KIND_u128 WAYMARK_DEBUG_U128
#define WAYMARK_KIND_i128 WAYMARK_DEBUG_I128
#define WAYMARK_KIND_f32 WAYMARK_DEBUG_F32
#define WAYMARK_KIND_f64 WAYMARK_DEBUG_F64
#define WAYMARK_KIND_long_double WAYMARK_DEBUG_F64
#define WAYMARK_KIND_string WAYMARK_DEBUG_STRING
#define WAYMARK_KIND_pointer WAYMARK_DEBUG_POINTER
#define WAYMARK_KIND_same WAYMARK_DEBUG_OBJECT

#ifdef __cplusplus
extern "C++" {

/* The same overloads as waymark_debug_of() has; none of them is ever called. */
#define WAYMARK_KIND_OF(maker, type) char(&waymark_kind_of(type))[WAYMARK_KIND_##maker + 1];

WAYMARK_DEBUG_TYPES(WAYMARK_KIND_OF)
WAYMARK_KIND_OF(pointer, const volatile void *)
WAYMARK_KIND_OF(pointer, decltype(nullptr))
WAYMARK_KIND_OF(same, const struct waymark_debug &)

#undef WAYMARK_KIND_OF

/* Of an enum: that of its integers. */
template <typename T>
char (&waymark_kind_of(
	T value, typename waymark_debug_enum<T, waymark_debug_is_enum<T>::value>::type * =
			 nullptr))[sizeof(waymark_kind_of(typename waymark_debug_enum<T,
	waymark_debug_is_enum<T>::value>::type()))];

template <typename R, typename... A>
char (&waymark_kind_of(R (*function)(A...)))[WAYMARK_DEBUG_POINTER + 1];
template <typename R, typename... A>
char (&waymark_kind_of(R (*function)(A..., ...)))[WAYMARK_DEBUG_POINTER + 1];

#define waymark_kind(x) (sizeof(waymark_kind_of(x)) - 1)

} /* extern "C++" */
#else
/* clang-format off */
#define WAYMARK_KIND_CHOICE(maker, type) type: WAYMARK_KIND_##maker,
#define waymark_kind(x) __extension__ _Generic((x), \
	WAYMARK_DEBUG_TYPES(WAYMARK_KIND_CHOICE) \
	char *: WAYMARK_KIND_string, \
	struct waymark_debug: WAYMARK_KIND_same, \
	default: WAYMARK_KIND_pointer)
/* clang-format on */
#endif

#endif
