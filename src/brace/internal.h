/* SPDX-License-Identifier: MIT */
/* What the files of src/brace share: renderers of single kinds, and padding. */
#ifndef BRACE_INTERNAL_H
#define BRACE_INTERNAL_H

#include "brace/brace.h"
#include "brace/decimal.h"

/* Renders a value by d->spec. */
typedef void brace_renderer(struct brace_debug *d, const struct brace_value *value);

brace_renderer brace_integer_put;
brace_renderer brace_pointer_put;
brace_renderer brace_float_put;
brace_renderer brace_char_put;
brace_renderer brace_string_put;
brace_renderer brace_bool_put;
brace_renderer brace_bytes_put;

/* Whether the type is one of {:?}, {:x?}, {:X?}. */
static inline bool brace_is_debug(const struct brace_spec *spec)
{
	return spec->type >= BRACE_DEBUG && spec->type <= BRACE_DEBUG_UPPER;
}

/* Characters of padding before and after what is `length` characters long. */
struct brace_padding {
	size_t before;
	size_t after;
};

struct brace_padding brace_padding_of(
	const struct brace_spec *spec, size_t length, enum brace_align usual);

/* Writes the fill of the placeholder `n` times. */
void brace_put_fill(struct brace_debug *d, size_t n);

/* Part of a number: text or, where `text` is NULL, zeros. */
struct brace_part {
	const char *text;
	size_t length;
};

/* A number: what stands before the zeros of a padding, and parts. */
struct brace_number {
	char lead[4]; /* the sign and 0x, 0o, 0b */
	size_t lead_length;
	struct brace_part parts[6];
	size_t count;
};

void brace_number_sign(struct brace_number *n, const struct brace_spec *spec, bool negative);
void brace_number_add(struct brace_number *n, const char *text, size_t length);
void brace_number_put(struct brace_debug *d, const struct brace_number *n);

/* {:e} of a number whose sign is in `n`; `precision` -1: all digits. */
void brace_exponent_put(
	struct brace_debug *d, struct brace_number *n, const struct brace_decimal *decimal);

#endif
