/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of src/brace, from the lowest: sink.c (output), pad.c (width and numbers),
 * integer.c, float.c, duration.c and string.c (single kinds), builder.c, descriptor.c, tree.c and
 * render.c (all kinds, messages). Each calls only files before it, except through the table of
 * kinds and struct brace_builder.
 */
#ifndef BRACE_INTERNAL_H
#define BRACE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/utf8.h"
#include "brace/brace.h"
#include "brace/names.h"

/* ---- Digits of floating point numbers ---- */

/*
 * Converts binary floating point to decimal digits, exactly: the shortest digits that read back as
 * the same number, or a given count, rounded half to even. No allocation, no tables of powers.
 */

/* Limit of digits. A double has at most 767 significant digits. */
#define DECIMAL_DIGITS 776

/* 0.DIGITS x 10^point, without leading zeros; zero has no digits and the point 1. */
struct brace_decimal {
	size_t count;
	int point;
	char digits[DECIMAL_DIGITS];
};

/* A positive number: mantissa x 2^exponent. */
struct brace_binary {
	uint64_t mantissa;
	int exponent;
	bool uneven; /* the next smaller number is half as far away as the next greater one */
};

/* Sets the fewest digits that read back as this number; of these, the nearest. */
void brace_decimal_shortest(struct brace_decimal *d, const struct brace_binary *b);

/* Sets the digits, rounded to `places` after the point. */
void brace_decimal_places(struct brace_decimal *d, const struct brace_binary *b, int places);

/* Sets the digits, rounded to `digits` > 0 significant ones. */
void brace_decimal_digits(struct brace_decimal *d, const struct brace_binary *b, int digits);

/* Sets the digits of an integer with `count` decimal digits. */
void brace_decimal_set(struct brace_decimal *d, const char *digits, size_t count);

/* Rounds half to even to `count` > 0 digits. `d` must be exact. */
void brace_decimal_round(struct brace_decimal *d, size_t count);

/* Removes zeros from both ends. */
void brace_decimal_trim(struct brace_decimal *d);

/* Adds one to the last digit. */
void brace_decimal_increment(struct brace_decimal *d);

/* ---- Builders and output ---- */

enum brace_group_kind {
	BRACE_STRUCT,
	BRACE_TUPLE,
	BRACE_LIST,
	BRACE_SET,
	BRACE_MAP,
	BRACE_GROUPS,
};

/* The output of waymark/debug.h's calls: text or a tree. Names need not end with a NUL. */
struct brace_builder {
	/* Begins a group, whose formatter and kind are set; all else is zero. */
	void (*begin)(struct waymark_group *g, const char *name, size_t length);
	/* Called before the value of a field; `name` is NULL before an entry. */
	void (*field)(struct waymark_group *g, const char *name, size_t length);
	/* Called between the key and the value of an entry. */
	void (*colon)(struct waymark_group *g);
	void (*end)(struct waymark_group *g, bool more);
	void (*name)(struct waymark_formatter *f, const char *name, size_t length);
	void (*unit)(struct waymark_formatter *f);
	void (*value)(struct waymark_formatter *f, const struct waymark_debug *value);
	void (*verbatim)(struct waymark_formatter *f, const char *text, size_t length);
};

/* The output of a callback, and its placeholder, which nested values inherit. */
struct waymark_formatter {
	const struct brace_builder *to;
	struct brace_sink *sink; /* for text; NULL for a tree */
	struct brace_tree *tree; /* for a tree; NULL for text */
	struct brace_spec spec;
	unsigned int calls; /* callbacks that have not returned */
	unsigned int depth; /* levels of indentation in {:#?} */
	bool line_begins;
};

/* Adds text to the sink, indented at the beginning of lines in {:#?}. */
void brace_put_text(struct waymark_formatter *f, const char *text, size_t length);

/* Adds text that may not be UTF-8, like brace_put_text(). */
void brace_put_mended(struct waymark_formatter *f, const char *text, size_t length);

/*
 * Returns the number of bytes of a text that need rendering. Output is never shorter than its text,
 * so the rest would be beyond the output that the sink wants, and so would a character that this
 * cuts.
 */
static inline size_t brace_worth(const struct waymark_formatter *f, size_t length)
{
	size_t left = brace_has_enough(f->sink) ? 0 : f->sink->wanted - f->sink->length;

	return length > left && length - left > UTF8_MAX ? left + UTF8_MAX : length;
}

/* Calls the callback of an object. */
void brace_call(struct waymark_formatter *f, const struct waymark_debug *object);

/* Returns `spec` with a type that values of that kind accept. */
struct brace_spec brace_spec_of(const struct brace_spec *spec, unsigned int kind);

/* Returns the size of an address in bytes: a recorded one may be from another machine. */
static inline unsigned int brace_pointer_size(const struct waymark_debug *v)
{
	return v->length == 4 || v->length == 8 ? v->length : (unsigned int)sizeof(void *);
}

/* Renders a value by f->spec. */
typedef void brace_renderer(struct waymark_formatter *f, const struct waymark_debug *value);

brace_renderer brace_value_put; /* of any kind */
brace_renderer brace_integer_put;
brace_renderer brace_pointer_put;
brace_renderer brace_float_put;
brace_renderer brace_char_put;
brace_renderer brace_string_put;
brace_renderer brace_bool_put;
brace_renderer brace_bytes_put;
brace_renderer brace_tree_put;
brace_renderer brace_duration_put;
brace_renderer brace_descriptor_put; /* text or tree */
void brace_unit_put(struct waymark_formatter *f);

/* True for {:?}, {:x?} and {:X?}. */
static inline bool brace_is_debug(const struct brace_spec *spec)
{
	return spec->type >= BRACE_DEBUG && spec->type <= BRACE_DEBUG_UPPER;
}

/* Numbers of padding characters before and after a value. */
struct brace_padding {
	size_t before;
	size_t after;
};

/*
 * Returns the padding of a value of `length` characters; `usual` applies if the placeholder has no
 * alignment.
 */
struct brace_padding brace_padding_of(
	const struct brace_spec *spec, size_t length, enum brace_align usual);

/* Writes the fill of the placeholder `n` times. */
void brace_put_fill(struct waymark_formatter *f, size_t n);

/* Part of a number: text, or zeros if `text` is NULL. */
struct brace_part {
	const char *text;
	size_t length;
};

/* A number. Zeros for padding are inserted between the lead and the parts. */
struct brace_number {
	char lead[4]; /* the sign, then 0x, 0o or 0b */
	size_t lead_length;
	struct brace_part parts[6];
	size_t count;
};

void brace_number_sign(struct brace_number *n, const struct brace_spec *spec, bool negative);
void brace_number_add(struct brace_number *n, const char *text, size_t length);
void brace_number_put(struct waymark_formatter *f, const struct brace_number *n);

/* Writes {:e} of a number whose sign is in `n`. Without a precision, writes all digits. */
void brace_exponent_put(
	struct waymark_formatter *f, struct brace_number *n, const struct brace_decimal *decimal);

#endif
