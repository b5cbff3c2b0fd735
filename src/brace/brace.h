/* SPDX-License-Identifier: MIT */
/*
 * Messages with braces: Rust's formatting language, rendered byte for byte as Rust does.
 * A message is parsed into pieces, a value is a tagged union, what comes out goes into a sink.
 *
 * For every caller: libc only, no allocation, no locale, errno is kept, nothing aborts;
 * all state is the caller's or on the stack (less than 3 KiB, and as much as callbacks take),
 * so any thread and any signal handler may call whatever stands here.
 *
 * Source of the facts: the documentation of Rust's std::fmt and the output of rustc 1.95.
 */
#ifndef BRACE_BRACE_H
#define BRACE_BRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Messages ---- */

/* What stands last in a placeholder: how the value is rendered. */
enum brace_type {
	BRACE_DISPLAY, /* {} */
	BRACE_DEBUG, /* {:?} */
	BRACE_DEBUG_LOWER, /* {:x?} */
	BRACE_DEBUG_UPPER, /* {:X?} */
	BRACE_LOWER_HEX, /* {:x} */
	BRACE_UPPER_HEX, /* {:X} */
	BRACE_OCTAL, /* {:o} */
	BRACE_BINARY, /* {:b} */
	BRACE_LOWER_EXP, /* {:e} */
	BRACE_UPPER_EXP, /* {:E} */
	BRACE_POINTER_TYPE, /* {:p} */
	BRACE_TYPES
};

enum brace_align { BRACE_ALIGN_DEFAULT, BRACE_ALIGN_LEFT, BRACE_ALIGN_CENTER, BRACE_ALIGN_RIGHT };

/* Widths and precisions beyond are refused, as Rust does. */
#define BRACE_WIDTH_MAX 65535

/* A placeholder: [[fill]align][sign]['#']['0'][width]['.' precision][type]. */
struct brace_spec {
	enum brace_type type;
	enum brace_align align;
	uint32_t fill; /* a code point */
	int32_t width; /* in characters; -1: none */
	int32_t precision; /* -1: none */
	bool plus; /* '+' */
	bool alternate; /* '#' */
	bool zero; /* '0' */
};

/* The placeholder {}. */
#define BRACE_SPEC_DEFAULT ((struct brace_spec){ .fill = ' ', .width = -1, .precision = -1 })

enum brace_piece_kind { BRACE_END, BRACE_TEXT, BRACE_PLACEHOLDER, BRACE_ERROR };

struct brace_piece {
	enum brace_piece_kind kind;
	size_t offset; /* of its first byte in the message; of an error, where it is */
	const char *text; /* BRACE_TEXT: to print; BRACE_PLACEHOLDER: as written, with braces */
	size_t length; /* of `text` in bytes */
	struct brace_spec spec; /* BRACE_PLACEHOLDER */
	const char *error; /* BRACE_ERROR: one sentence, without a full stop; static */
};

struct brace_parser {
	const char *message;
	size_t length;
	size_t at; /* the next byte to read */
};

/* Reads a message of `length` bytes, which need not end in NUL and must outlive the parser. */
void brace_parse(struct brace_parser *p, const char *message, size_t length);

/*
 * The next piece. After BRACE_END or BRACE_ERROR the same comes again. {{ and }} are a text of
 * one byte.
 */
enum brace_piece_kind brace_next(struct brace_parser *p, struct brace_piece *piece);

/* ---- Sinks ---- */

/* Takes some bytes of the output: whole characters where message and values are UTF-8. */
typedef void brace_write_fn(void *context, const char *text, size_t length);

/* Where output goes: a callback, or a buffer that is always terminated and never overrun. */
struct brace_sink {
	brace_write_fn *write; /* NULL: into `buffer` */
	void *context;
	char *buffer;
	size_t size; /* of the buffer, with its NUL; 0: nothing is written */
	size_t used; /* bytes in the buffer */
	size_t length; /* bytes of the whole output so far */
};

/* A buffer of `size` bytes; what does not fit is counted only, and no character is cut. */
void brace_sink_buffer(struct brace_sink *s, char *buffer, size_t size);

void brace_sink_callback(struct brace_sink *s, brace_write_fn *write, void *context);

/* Adds text as it is. */
void brace_put(struct brace_sink *s, const char *text, size_t length);

/* ---- Values ---- */

enum brace_kind {
	BRACE_UNSIGNED,
	BRACE_SIGNED,
	BRACE_UNSIGNED128,
	BRACE_SIGNED128,
	BRACE_F32,
	BRACE_F64,
	BRACE_BOOL,
	BRACE_CHAR, /* a code point */
	BRACE_STRING, /* str; bytes that are not UTF-8 are U+FFFD, in {:?} \xff */
	BRACE_CSTRING, /* CStr, as a string but for its escapes in {:?} */
	BRACE_BYTES, /* [u8] */
	BRACE_POINTER,
	BRACE_CALLBACK, /* whatever implements Debug */
	BRACE_KINDS
};

struct brace_debug;

/* Renders the object at `context` by calls of the builder below. */
typedef void brace_debug_fn(struct brace_debug *d, const void *context);

struct brace_value {
	enum brace_kind kind;
	unsigned int bits; /* of integers: 8, 16, 32, 64; hex of negative ones depends on it */
	union {
		uint64_t u; /* BRACE_UNSIGNED, and of BRACE_CHAR the code point */
		int64_t i;
		struct {
			uint64_t low;
			uint64_t high; /* two's complement of both */
		} wide;
		float f32;
		double f64;
		bool truth;
		struct {
			const char *text; /* NULL: empty */
			size_t length; /* bytes */
		} string; /* BRACE_STRING, BRACE_CSTRING, BRACE_BYTES */
		const void *pointer;
		struct {
			brace_debug_fn *render;
			const void *context;
		} callback;
	};
};

static inline struct brace_value brace_unsigned(uint64_t u, unsigned int bits)
{
	return (struct brace_value){ .kind = BRACE_UNSIGNED, .bits = bits, .u = u };
}

static inline struct brace_value brace_signed(int64_t i, unsigned int bits)
{
	return (struct brace_value){ .kind = BRACE_SIGNED, .bits = bits, .i = i };
}

/* u128 or, by `kind`, i128. */
static inline struct brace_value brace_wide(enum brace_kind kind, uint64_t high, uint64_t low)
{
	return (struct brace_value){ .kind = kind, .bits = 128, .wide = { low, high } };
}

static inline struct brace_value brace_f32(float f)
{
	return (struct brace_value){ .kind = BRACE_F32, .f32 = f };
}

static inline struct brace_value brace_f64(double f)
{
	return (struct brace_value){ .kind = BRACE_F64, .f64 = f };
}

static inline struct brace_value brace_bool(bool truth)
{
	return (struct brace_value){ .kind = BRACE_BOOL, .truth = truth };
}

static inline struct brace_value brace_char(uint32_t code)
{
	return (struct brace_value){ .kind = BRACE_CHAR, .u = code };
}

/* BRACE_STRING, BRACE_CSTRING or BRACE_BYTES: borrowed. */
static inline struct brace_value brace_text(enum brace_kind kind, const void *text, size_t length)
{
	return (struct brace_value){ .kind = kind, .string = { (const char *)text, length } };
}

static inline struct brace_value brace_pointer(const void *pointer)
{
	return (struct brace_value){ .kind = BRACE_POINTER, .pointer = pointer };
}

static inline struct brace_value brace_callback(brace_debug_fn *render, const void *context)
{
	return (struct brace_value){ .kind = BRACE_CALLBACK, .callback = { render, context } };
}

/* Whether Rust renders such values so: what a message is checked with. */
bool brace_accepts(enum brace_kind kind, enum brace_type type);

/* ---- Rendering ---- */

/* Renders one value. A type that the kind does not accept is taken as {}, or {:?} for want of it.
 */
void brace_render(
	struct brace_sink *s, const struct brace_spec *spec, const struct brace_value *value);

/*
 * Renders a message with its values, one for each placeholder in order. Where values are
 * missing, and from an error on, the message stands as written. Returns the bytes of the whole
 * output so far, as snprintf() does.
 */
size_t brace_format(struct brace_sink *s, const char *message, size_t length,
	const struct brace_value *values, size_t count);

/* ---- Building what {:?} prints ---- */

/* What a callback writes to: it knows the placeholder, which nested values inherit. */
struct brace_debug {
	struct brace_sink *sink;
	struct brace_spec spec;
	unsigned int depth; /* of indentation in {:#?} */
	bool line_begins;
};

/* A struct, tuple, list, set or map that is being written: begun, given fields, ended. */
struct brace_group {
	struct brace_debug *debug;
	const struct brace_brackets *brackets;
	size_t fields;
	bool named;
};

/* `Name { field: 1 }`, also a variant with named fields; without fields: `Name`. */
void brace_struct(struct brace_group *g, struct brace_debug *d, const char *name);

/* `Name(1, 2)`, also a variant; a name of "": `(1, 2)`, with one field `(1,)`. */
void brace_tuple(struct brace_group *g, struct brace_debug *d, const char *name);

void brace_list(struct brace_group *g, struct brace_debug *d); /* [1, 2] */
void brace_set(struct brace_group *g, struct brace_debug *d); /* {1, 2} */
void brace_map(struct brace_group *g, struct brace_debug *d); /* {1: 2} */

/* A field of a struct. */
void brace_field(struct brace_group *g, const char *name, const struct brace_value *value);

/* A field of a tuple, an entry of a list or set. */
void brace_entry(struct brace_group *g, const struct brace_value *value);

/* An entry of a map. */
void brace_pair(
	struct brace_group *g, const struct brace_value *key, const struct brace_value *value);

/* Every group ends once: plainly, or with `..` for the fields of a struct that are not told. */
void brace_group_end(struct brace_group *g);
void brace_struct_end_more(struct brace_group *g);

/* A variant or struct without fields. */
void brace_name(struct brace_debug *d, const char *name);

/* `()`. */
void brace_unit(struct brace_debug *d);

/* An Option: `None`, or `Some(value)`; `value` may be NULL for none. */
void brace_option(struct brace_debug *d, const struct brace_value *value);

/* `Name(value)`: Ok, Err, variants of one field, structs that wrap a value. */
void brace_variant(struct brace_debug *d, const char *name, const struct brace_value *value);

/* A value in the place of the whole, rendered by the inherited placeholder. */
void brace_nested(struct brace_debug *d, const struct brace_value *value);

/* Text as it is, indented where lines begin in {:#?}. */
void brace_debug_text(struct brace_debug *d, const char *text, size_t length);

#endif
