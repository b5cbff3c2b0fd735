/* SPDX-License-Identifier: MIT */
/*
 * Messages with braces: Rust's formatting language, rendered byte for byte like Rust. A message is
 * parsed into pieces; values are those of waymark/debug.h; output goes to a sink.
 *
 * All functions: use libc only, allocate nothing, ignore the locale, keep errno and never abort.
 * All state is the caller's or on the stack (less than 3 KiB, and the callbacks' own), so they are
 * async-signal-safe and any thread may call them.
 *
 * Sources: the documentation of Rust's std::fmt and the output of rustc 1.95.
 */
#ifndef BRACE_BRACE_H
#define BRACE_BRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/debug.h>

#include "brace/names.h"

/* ---- Messages ---- */

/* The type at the end of a placeholder: the form of the output. */
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

/* Limit of widths and precisions; larger ones are refused, as by Rust. */
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
	size_t offset; /* of its first byte in the message; for BRACE_ERROR, of the error */
	const char *text; /* BRACE_TEXT: output; BRACE_PLACEHOLDER: as written, with braces */
	size_t length; /* of `text` in bytes */
	struct brace_spec spec; /* BRACE_PLACEHOLDER */
	const char *error; /* BRACE_ERROR: one sentence, without a full stop; static */
};

struct brace_parser {
	const char *message;
	size_t length;
	size_t at; /* the next byte to read */
};

/*
 * Starts reading a message of `length` bytes, which need not end with a NUL and must outlive the
 * parser.
 */
void brace_parse(struct brace_parser *p, const char *message, size_t length);

/* Reads the next piece. BRACE_END and BRACE_ERROR repeat. {{ and }} become a text of one byte. */
enum brace_piece_kind brace_next(struct brace_parser *p, struct brace_piece *piece);

/* ---- Sinks ---- */

/* Receives a part of the output: whole characters if message and values are UTF-8. */
typedef void brace_write_fn(void *context, const char *text, size_t length);

/* The output: a callback, or a buffer that always ends with a NUL and is never overrun. */
struct brace_sink {
	brace_write_fn *write; /* NULL: output goes to `buffer` */
	void *context;
	char *buffer;
	size_t size; /* size of the buffer, with its NUL; 0: output is only counted */
	size_t used; /* bytes in the buffer */
	size_t length; /* bytes of the whole output so far */
	size_t wanted; /* output beyond this length may be left out; SIZE_MAX at first */
	bool escapes_lines; /* write newlines in texts of {} as \n; set by the caller */
};

/*
 * Initializes a sink with a buffer of `size` bytes. Output beyond it is only counted, and no
 * character is cut.
 */
void brace_sink_buffer(struct brace_sink *s, char *buffer, size_t size);

void brace_sink_callback(struct brace_sink *s, brace_write_fn *write, void *context);

/* Writes text unchanged. */
void brace_put(struct brace_sink *s, const char *text, size_t length);

/* True if no more output is wanted: rendering a long value ends early. */
static inline bool brace_has_enough(const struct brace_sink *s)
{
	return s->length >= s->wanted;
}

/* ---- Values ---- */

/* A kind besides those of waymark/debug.h: CStr, a string with other escapes in {:?}. */
enum { BRACE_CSTRING = WAYMARK_DEBUG_KINDS, BRACE_KINDS };

/* True if Rust renders values of the kind by this type. Used by checks of messages. */
bool brace_accepts(unsigned int kind, enum brace_type type);

/* ---- Rendering ---- */

/* Renders one value. If its kind does not accept the type, uses {}, or {:?} if it has no {}. */
void brace_render(
	struct brace_sink *s, const struct brace_spec *spec, const struct waymark_debug *value);

/*
 * Renders a message with its values, one for each placeholder in order. Placeholders without a
 * value, and the message from an error on, are written unchanged. Returns the bytes of the whole
 * output so far, like snprintf(); exact up to the length that the sink wants.
 */
size_t brace_format(struct brace_sink *s, const char *message, size_t length,
	const struct waymark_debug *values, size_t count);

/* Limit of nested callbacks; deeper ones are printed as `...`. */
#define BRACE_CALLS_MAX 32

#endif
