/* SPDX-License-Identifier: MIT */
/*
 * The C types that an event's argument may have, as plain data: name, size on 32- and 64-bit hosts,
 * and printf's length.
 */
#ifndef MODEL_TYPE_H
#define MODEL_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum type_class {
	TYPE_INTEGER, /* signed or unsigned, including _Bool and char */
	TYPE_FLOAT,
	TYPE_POINTER,
	TYPE_STRING, /* text that ends in NUL: exactly `char *` or `const char *` */
	TYPE_TEXT, /* text as two parameters: address, and length in bytes */
	TYPE_BYTES, /* bytes as two parameters: address, and length in bytes */
	TYPE_DEBUG, /* a value with its own kind: struct waymark_debug */
	TYPE_TCG, /* a value of the translated guest: exists only at execution */
};

struct type {
	const char *text; /* as declared, with regular blanks: `const char *`, `&str` */
	const char *c_text; /* the parameter's type in C; the first one's if there are two */
	/* For types of Rust and floats: waymark_debug_<maker>() makes a value of it; else NULL. */
	const char *maker;
	/*
	 * printf's length modifier: "", hh, h, l, ll, z, t; or 32, 64, PTR: the end of a PRI macro.
	 */
	const char *length;
	enum type_class class;
	bool is_signed;
	bool is_bool;
	/* Text that {:?} prints around a descriptor, WAYMARK_DEBUG_FILE and so on; 0: none. */
	uint8_t descriptor;
	bool is_char; /* `char` itself, whose signedness depends on the host */
	uint8_t size32; /* bytes on an ILP32 host */
	uint8_t size64; /* bytes on an LP64 host */
};

/* The allowed types, the help text of every message about a type. */
#define TYPE_HELP                                                                              \
	"allowed are bool, char, short, int, long, long long (signed or unsigned), int8_t to " \
	"uint64_t, size_t, ssize_t, uintptr_t, ptrdiff_t and pointers to them or to void; "    \
	"declare a pointer to anything else as 'void *'"

/*
 * Returns advice about one type that is not allowed, as a help text; NULL if only TYPE_HELP
 * applies.
 */
const char *type_advice(const char *text, size_t len);

/*
 * Parses a type, whose text need not end with a NUL: a base type with its words in any order that C
 * allows, `const`, and pointers of any depth. Returns false, with `t` undefined, if the type is not
 * allowed.
 */
bool type_parse(struct type *t, struct arena *a, const char *text, size_t len);

/* Parses an old declaration's type: also allows `double`, `float` and pointers to them. */
bool type_parse_old(struct type *t, struct arena *a, const char *text, size_t len);

/* True for a pointer to an integer of 8 bits that is not plain `char`. */
bool type_is_bytes(const struct type *t);

/*
 * Parses a type of Rust: a row of model/type_rust.def, inside any number of `&`, lifetimes, `mut`,
 * Arc<>, Rc<> and Box<>. `&str` ends with a NUL; a bare `str`, which is no argument type in Rust,
 * is text with its length.
 */
bool type_parse_rust(struct type *t, struct arena *a, const char *text, size_t len);

/* The allowed types in Rust, a help text of messages. */
#define TYPE_RUST_HELP                                                                     \
	"allowed are u8 to u128, i8 to i128, usize, isize, bool, f32, f64, &str, String, " \
	"str (text with its length), &[u8], Vec<u8>, RawFd, EventFd and &dyn fmt::Debug, " \
	"and references to them"

/*
 * Returns the type in Rust that was meant: that of a C type, or one with a similar name; NULL if
 * none.
 */
const char *type_rust_nearest(const char *text, size_t len);

/*
 * Parses any text as a type, for a lenient reader. A type that ends in a star is a pointer or
 * string, any other an integer of 64 bits, as in all old traces.
 */
void type_guess(struct type *t, struct arena *a, const char *text, size_t len);

/*
 * Parses any text as a type where no guest values exist: a guest type becomes its type at
 * execution.
 */
void type_guess_host(struct type *t, struct arena *a, const char *text, size_t len);

/* True for an integer of 128 bits, which is a pair in simpletrace files and values. */
static inline bool type_is_pair(const struct type *t)
{
	return t->class == TYPE_INTEGER && t->size64 > sizeof(uint64_t);
}

/* True for a type with two arguments in C: an address, and a length in bytes. */
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

/* True for the words of types, including `const` and `void`. */
bool type_is_word(const char *text, size_t len);

/* Returns the type of a TYPE_TCG argument at execution. */
const char *type_of_execution(const struct type *t);

#endif
