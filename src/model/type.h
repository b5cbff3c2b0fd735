/* SPDX-License-Identifier: MIT */
/*
 * The C types that an event's argument may have. Plain data: what a type is
 * called, how wide it is on 32- and 64-bit hosts, and how printf names it.
 */
#ifndef MODEL_TYPE_H
#define MODEL_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum type_class {
	TYPE_INTEGER, /* signed or unsigned, _Bool and char included */
	TYPE_FLOAT,
	TYPE_POINTER,
	TYPE_STRING, /* text that ends in NUL: exactly `char *` or `const char *` */
	TYPE_TEXT, /* the same as two parameters: text, and its length in bytes */
	TYPE_BYTES, /* two parameters: an address, and a length in bytes */
	TYPE_DEBUG, /* a value with its own kind: struct waymark_debug */
	TYPE_TCG, /* a value of the translated guest: exists only at execution */
};

struct type {
	const char *text; /* as declared, blanks made regular: `const char *`, `&str` */
	const char *c_text; /* the parameter's in C; of two parameters the first one's */
	/* Of Rust's types and floats: waymark_debug_<maker>() makes a value of it; else NULL. */
	const char *maker;
	/*
	 * printf's length modifier: "", hh, h, l, ll, z, t; or 32, 64, PTR: the end of a PRI macro
	 */
	const char *length;
	enum type_class class;
	bool is_signed;
	bool is_bool;
	/*
	 * The text that {:?} shows around a descriptor: WAYMARK_DEBUG_FILE and so on; 0: nothing.
	 */
	uint8_t descriptor;
	bool is_char; /* `char` itself, whose signedness the host decides */
	uint8_t size32; /* bytes on an ILP32 host */
	uint8_t size64; /* bytes on an LP64 host */
};

/* The allowed types: the help of every message about a type. */
#define TYPE_HELP                                                                              \
	"allowed are bool, char, short, int, long, long long (signed or unsigned), int8_t to " \
	"uint64_t, size_t, ssize_t, uintptr_t, ptrdiff_t and pointers to them or to void; "    \
	"declare a pointer to anything else as 'void *'"

/*
 * Advice about one type that is not allowed, as a help text; NULL where only
 * TYPE_HELP is left to say.
 */
const char *type_advice(const char *text, size_t len);

/*
 * Reads the text of a type, which need not end with a NUL: a base type with its
 * words in any order that C allows, `const`, and pointers of any depth. Returns
 * false, with `t` undefined, when it is not an allowed type.
 */
bool type_parse(struct type *t, struct arena *a, const char *text, size_t len);

/* The same of an old declaration's: `double` and `float` are types, and pointers to them. */
bool type_parse_old(struct type *t, struct arena *a, const char *text, size_t len);

/* True for a pointer to an integer of 8 bits that is not plain `char`. */
bool type_is_bytes(const struct type *t);

/*
 * type_parse() of a type in Rust: what model/type_rust.def lists, behind any number of `&`,
 * lifetimes, `mut`, Arc<>, Rc<> and Box<>; `&str` ends in NUL, a bare `str`, which Rust
 * has no arguments of, is text with its length.
 */
bool type_parse_rust(struct type *t, struct arena *a, const char *text, size_t len);

/* The allowed types in Rust: the help of messages. */
#define TYPE_RUST_HELP                                                                     \
	"allowed are u8 to u128, i8 to i128, usize, isize, bool, f32, f64, &str, String, " \
	"str (text with its length), &[u8], Vec<u8>, RawFd, EventFd and &dyn fmt::Debug, " \
	"and references to them"

/* The type in Rust that was meant: the same in C, or one nearly called so; NULL: none. */
const char *type_rust_nearest(const char *text, size_t len);

/*
 * For a lenient reader: any text is a type. What ends in a star is a pointer or
 * string, the rest an integer of 64 bits: so old traces hold them all.
 */
void type_guess(struct type *t, struct arena *a, const char *text, size_t len);

/* The same where no value of the translated guest can be: it is what it arrives as at execution. */
void type_guess_host(struct type *t, struct arena *a, const char *text, size_t len);

/* True for an integer of 128 bits, which simpletrace files and values have as a pair. */
static inline bool type_is_pair(const struct type *t)
{
	return t->class == TYPE_INTEGER && t->size64 > sizeof(uint64_t);
}

/* True for a type whose arguments are two in C: an address and a length in bytes. */
static inline bool type_is_counted(const struct type *t)
{
	return t->class == TYPE_TEXT || t->class == TYPE_BYTES;
}

/* True for a type that is stored as a number of at most 64 bits. */
static inline bool type_is_number(const struct type *t)
{
	const unsigned int numbers =
		1u << TYPE_INTEGER | 1u << TYPE_FLOAT | 1u << TYPE_POINTER | 1u << TYPE_TCG;

	return (numbers >> t->class & 1) != 0 && t->size64 <= sizeof(uint64_t);
}

/* True for the words that types are made of, `const` and `void` included. */
bool type_is_word(const char *text, size_t len);

/* The type in which a TYPE_TCG argument arrives at execution. */
const char *type_of_execution(const struct type *t);

#endif
