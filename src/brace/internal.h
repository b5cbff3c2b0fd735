/* SPDX-License-Identifier: MIT */
/* What the files of src/brace share: formatters, renderers of single kinds, and padding. */
#ifndef BRACE_INTERNAL_H
#define BRACE_INTERNAL_H

#include "base/utf8.h"
#include "brace/brace.h"
#include "brace/decimal.h"

enum brace_group_kind {
	BRACE_STRUCT,
	BRACE_TUPLE,
	BRACE_LIST,
	BRACE_SET,
	BRACE_MAP,
	BRACE_GROUPS,
};

/* Where the calls of the builder go: what they write. Names need not end in NUL. */
struct brace_builder {
	/* Of a group whose formatter and kind are set, and all else zero. */
	void (*begin)(struct waymark_group *g, const char *name, size_t length);
	/* Comes before the value of a field; a name of NULL: of an entry. */
	void (*field)(struct waymark_group *g, const char *name, size_t length);
	/* Stands between the key and the value of an entry. */
	void (*colon)(struct waymark_group *g);
	void (*end)(struct waymark_group *g, bool more);
	void (*name)(struct waymark_formatter *f, const char *name, size_t length);
	void (*unit)(struct waymark_formatter *f);
	void (*value)(struct waymark_formatter *f, const struct waymark_debug *value);
	void (*verbatim)(struct waymark_formatter *f, const char *text, size_t length);
};

extern const struct brace_builder brace_text_builder;

/* What a callback writes to: it knows the placeholder, which nested values inherit. */
struct waymark_formatter {
	const struct brace_builder *to;
	struct brace_sink *sink; /* of text */
	struct brace_tree *tree; /* of tokens */
	struct brace_spec spec;
	unsigned int calls; /* callbacks that have not returned */
	unsigned int depth; /* of indentation in {:#?} */
	bool line_begins;
};

/* Adds text, indented where lines begin in {:#?}. */
void brace_put_text(struct waymark_formatter *f, const char *text, size_t length);

/* The same of text whose bytes are not known to be UTF-8. */
void brace_put_mended(struct waymark_formatter *f, const char *text, size_t length);

/*
 * How much of a text is looked at: the rest would come out behind what the sink wants, since
 * nothing comes out shorter than it is. A character that is cut by that does so, too.
 */
static inline size_t brace_worth(const struct waymark_formatter *f, size_t length)
{
	size_t left = brace_has_enough(f->sink) ? 0 : f->sink->wanted - f->sink->length;

	return length > left && length - left > UTF8_MAX ? left + UTF8_MAX : length;
}

/* Lets an object say what it is. */
void brace_call(struct waymark_formatter *f, const struct waymark_debug *object);

/* The placeholder that a value of that kind is rendered with, where it does not accept its own. */
struct brace_spec brace_spec_of(const struct brace_spec *spec, unsigned int kind);

/* How wide an address is, in bytes. */
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
brace_renderer brace_descriptor_put; /* to trees, too */
void brace_unit_put(struct waymark_formatter *f);

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
void brace_put_fill(struct waymark_formatter *f, size_t n);

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
void brace_number_put(struct waymark_formatter *f, const struct brace_number *n);

/* {:e} of a number whose sign is in `n`; `precision` -1: all digits. */
void brace_exponent_put(
	struct waymark_formatter *f, struct brace_number *n, const struct brace_decimal *decimal);

#endif
