/* SPDX-License-Identifier: MIT */
/*
 * waymark/debug.h - values for arguments of type `&dyn fmt::Debug`, and a builder for objects of
 * the program. A message prints them as Rust prints types that implement Debug; a trace records
 * them with their types.
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
 * A name of NULL is shown as (null).
 *
 * Nothing here allocates, takes a lock or changes errno. Any thread, any signal handler; a
 * callback runs in the thread that fires the event, while it fires, and must neither leave by
 * longjmp() or an exception nor keep the formatter.
 *
 * Compiles as C11 (C99 with gcc and clang, which have _Generic) and C++11.
 */
#ifndef WAYMARK_DEBUG_H
#define WAYMARK_DEBUG_H

#include <waymark/linked.h>
#include <waymark/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Building what {:?} prints ---- */

/* A struct, tuple, list, set or map under construction: begun, given fields, ended once. */
struct waymark_group {
	struct waymark_formatter *formatter;
	uint32_t kind; /* this and the next fields belong to the renderer */
	uint32_t fields;
	uint32_t depth;
	bool named;
};

#pragma GCC visibility push(default)

/* Begins `Name { field: 1 }`, or a variant with named fields; without fields `Name`. */
void waymark_debug_struct(struct waymark_group *g, struct waymark_formatter *f, const char *name);

/* Begins `Name(1, 2)`, or a variant. With the name "": `(1, 2)`, or `(1,)` for one field. */
void waymark_debug_tuple(struct waymark_group *g, struct waymark_formatter *f, const char *name);

void waymark_debug_list(struct waymark_group *g, struct waymark_formatter *f); /* [1, 2] */
void waymark_debug_set(struct waymark_group *g, struct waymark_formatter *f); /* {1, 2} */
void waymark_debug_map(struct waymark_group *g, struct waymark_formatter *f); /* {1: 2} */

/* Adds a field of a struct. */
void waymark_debug_field(struct waymark_group *g, const char *name, struct waymark_debug value);

/* Adds a field of a tuple or an entry of a list or set. */
void waymark_debug_entry(struct waymark_group *g, struct waymark_debug value);

/* Adds an entry of a map. */
void waymark_debug_pair(
	struct waymark_group *g, struct waymark_debug key, struct waymark_debug value);

/* Ends a group, once. The second form shows `..` for omitted fields of a struct. */
void waymark_debug_end(struct waymark_group *g);
void waymark_debug_end_more(struct waymark_group *g);

/* Writes a variant or struct without fields; `()`. */
void waymark_debug_name(struct waymark_formatter *f, const char *name);
void waymark_debug_unit(struct waymark_formatter *f);

/* Write `Some(value)` and `None`. */
void waymark_debug_some(struct waymark_formatter *f, struct waymark_debug value);
void waymark_debug_none(struct waymark_formatter *f);

/* Writes `Name(value)`: Ok, Err, variants of one field, structs that wrap a value. */
void waymark_debug_variant(
	struct waymark_formatter *f, const char *name, struct waymark_debug value);

/* Writes a value in place of the whole object. */
void waymark_debug_value(struct waymark_formatter *f, struct waymark_debug value);

/* Writes text without quotes, which is recorded as text. {:#?} indents its lines. */
void waymark_debug_verbatim(struct waymark_formatter *f, const char *text, size_t length);

/*
 * Return whether the message uses {:#?}, and whether it uses {:x?} or {:X?}. Nested values follow
 * the format without a check.
 */
bool waymark_debug_is_pretty(const struct waymark_formatter *f);
bool waymark_debug_is_hex(const struct waymark_formatter *f);

#pragma GCC visibility pop

#ifndef WAYMARK_LINKED
#include <waymark/debug_unlinked.h>
#endif

#ifdef __cplusplus
}
#endif

/* ---- waymark_debug(x) ---- */

/*
 * Makes a value of any scalar, string or pointer by its type, evaluated once: `char *` and arrays
 * of char are text that ends in NUL, a `char` is a character, enums are integers, other pointers
 * and arrays are addresses; a struct waymark_debug is unchanged. A bit-field needs a cast to its
 * type. The words `true` and `false` are booleans, in C11 too.
 *
 * WAYMARK_DEBUG_TYPES() lists the maker of each type, for C, C++ and waymark/site.h: OF(maker,
 * type). Types of only one language follow below.
 */
/* clang-format off */
#ifdef __SIZEOF_INT128__
#define WAYMARK_DEBUG_TYPES_128(OF) OF(u128, waymark_u128) OF(i128, waymark_i128)
#else
#define WAYMARK_DEBUG_TYPES_128(OF) OF(u128, waymark_u128)
#endif
#define WAYMARK_DEBUG_TYPES(OF) \
	OF(bool, bool) \
	OF(plain_char, char) \
	OF(i8, signed char) \
	OF(u8, unsigned char) \
	OF(i16, short) \
	OF(u16, unsigned short) \
	OF(i32, int) \
	OF(u32, unsigned int) \
	OF(long, long) \
	OF(ulong, unsigned long) \
	OF(i64, long long) \
	OF(u64, unsigned long long) \
	WAYMARK_DEBUG_TYPES_128(OF) \
	OF(f32, float) \
	OF(f64, double) \
	OF(long_double, long double) \
	OF(string, const char *)
/* clang-format on */

#ifdef __cplusplus
#define waymark_debug(...) waymark_debug_of(__VA_ARGS__)

extern "C++" {

#define WAYMARK_DEBUG_OF(maker, type)                                          \
	WAYMARK_DEBUG_INLINE struct waymark_debug waymark_debug_of(type value) \
	{                                                                      \
		return waymark_debug_##maker(value);                           \
	}

WAYMARK_DEBUG_TYPES(WAYMARK_DEBUG_OF)
WAYMARK_DEBUG_OF(pointer, const volatile void *)
WAYMARK_DEBUG_OF(pointer, decltype(nullptr))
WAYMARK_DEBUG_OF(same, const struct waymark_debug &)

#undef WAYMARK_DEBUG_OF

/* A built-in trait of the compiler cannot be part of the type of an external function. */
template <typename T> struct waymark_debug_is_enum {
	static const bool value = __is_enum(T);
};
template <typename T, bool is_enum> struct waymark_debug_enum {
};
template <typename T> struct waymark_debug_enum<T, true> {
	typedef __underlying_type(T) type;
};

/* Enums, scoped or not. */
template <typename T>
inline struct waymark_debug waymark_debug_of(
	T value, typename waymark_debug_enum<T, waymark_debug_is_enum<T>::value>::type * = nullptr)
{
	return waymark_debug_of(
		static_cast<typename waymark_debug_enum<T, waymark_debug_is_enum<T>::value>::type>(
			value));
}

/* Functions, which would otherwise convert to bool. */
template <typename R, typename... A>
inline struct waymark_debug waymark_debug_of(R (*function)(A...))
{
	return waymark_debug_pointer(reinterpret_cast<const void *>(function));
}

template <typename R, typename... A>
inline struct waymark_debug waymark_debug_of(R (*function)(A..., ...))
{
	return waymark_debug_pointer(reinterpret_cast<const void *>(function));
}

} /* extern "C++" */
#else
/* clang-format off */
#define WAYMARK_DEBUG_CHOICE(maker, type) type: waymark_debug_##maker,
/* `true` and `false` are of type int before C23: recognised by their text of 4 or 5 characters. */
#define waymark_debug(x) waymark_debug_word(__extension__ _Generic((x), \
	WAYMARK_DEBUG_TYPES(WAYMARK_DEBUG_CHOICE) \
	char *: waymark_debug_string, \
	struct waymark_debug: waymark_debug_same, \
	default: waymark_debug_pointer)(x), sizeof(#x) - 5 < 2 ? #x : NULL)
/* clang-format on */

WAYMARK_DEBUG_MAKER waymark_debug_word(struct waymark_debug value, const char *source)
{
	if (source && (strcmp(source, "true") == 0 || strcmp(source, "false") == 0)) {
		value.kind = WAYMARK_DEBUG_BOOL;
	}
	return value;
}
#endif

#endif
