/* SPDX-License-Identifier: MIT */
/*
 * Renders a tree: reads its tokens and makes the builder calls that they represent. Accepts any
 * bytes: every token has at least one byte, groups nest at most as deep as callbacks may, and at a
 * missing or wrong token the output ends with `...`.
 */
#include <string.h>

#include "brace/internal.h"
#include "brace/tree.h"

struct replay {
	struct waymark_formatter *formatter;
	const unsigned char *at;
	const unsigned char *end;
	unsigned int depth; /* groups that have not ended */
	bool inside; /* inside of a value: the missing part is the value or its rest */
	struct waymark_group groups[BRACE_CALLS_MAX];
};

/* Text of a token, as much of it as the tree has. */
struct token_text {
	const char *start;
	size_t length;
};

/* Reads the rest of a token; returns false if it is wrong or incomplete. */
typedef bool token_reader(struct replay *r, unsigned int token);

static size_t left(const struct replay *r)
{
	return (size_t)(r->end - r->at);
}

static bool take_length(struct replay *r, uint64_t *length)
{
	*length = 0;
	for (unsigned int shift = 0; shift < 35 && left(r); shift += 7) {
		unsigned char byte = *r->at++;

		*length |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			return *length <= UINT32_MAX;
		}
	}
	return false;
}

/* Reads a text. Returns false if a part of it is missing; `t` is the part that exists. */
static bool take_text(struct replay *r, struct token_text *t)
{
	uint64_t length;
	bool whole = take_length(r, &length) && length <= left(r);

	t->start = (const char *)r->at;
	t->length = whole ? (size_t)length : left(r);
	r->at += t->length;
	return whole;
}

static uint64_t take_bits(struct replay *r, unsigned int width)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < width; i++) {
		n |= (uint64_t)*r->at++ << 8 * i;
	}
	return n;
}

static void put_value(struct replay *r, const struct waymark_debug *value)
{
	r->inside = false;
	r->formatter->to->value(r->formatter, value);
}

static struct waymark_debug number_of(uint32_t kind, uint64_t bits)
{
	struct waymark_debug v = waymark_debug_number((enum waymark_debug_kind)kind, bits);

	if (kind == WAYMARK_DEBUG_F32) {
		uint32_t f32 = (uint32_t)bits;

		memcpy(&v.as.f32, &f32, sizeof(f32));
	} else if (kind >= WAYMARK_DEBUG_I8 && kind <= WAYMARK_DEBUG_I64) {
		unsigned int unused = 64 - 8 * brace_token_width(kind);

		v.as.i = (int64_t)(bits << unused) >> unused;
	}
	return v;
}

static bool read_number(struct replay *r, unsigned int kind)
{
	unsigned int width = brace_token_width(kind);

	if (left(r) < width) {
		return false;
	}
	struct waymark_debug v = number_of(kind, take_bits(r, width > 8 ? 8 : width));

	if (width > 8) {
		v.as.wide.high = take_bits(r, 8);
	}
	put_value(r, &v);
	return true;
}

static bool read_pointer(struct replay *r, unsigned int kind)
{
	unsigned int width = left(r) ? *r->at++ : 0;

	if ((width != 4 && width != 8) || left(r) < width) {
		return false;
	}
	struct waymark_debug v = number_of(kind, take_bits(r, width));

	v.length = width;
	put_value(r, &v);
	return true;
}

static bool read_text(struct replay *r, unsigned int kind)
{
	struct token_text t;
	bool whole = take_text(r, &t);
	struct waymark_debug v = waymark_debug_text(t.start, t.length);

	v.kind = kind;
	if (whole || t.length) {
		put_value(r, &v);
	}
	r->inside |= !whole;
	return whole;
}

static bool read_duration(struct replay *r, unsigned int kind)
{
	if (left(r) < BRACE_DURATION_BYTES) {
		return false;
	}
	struct waymark_debug v = number_of(kind, take_bits(r, 8));

	v.as.wide.high = take_bits(r, 4);
	put_value(r, &v);
	return true;
}

static bool read_null(struct replay *r, unsigned int token)
{
	struct waymark_debug v = waymark_debug_string(NULL);

	(void)token;
	put_value(r, &v);
	return true;
}

static bool read_begin(struct replay *r, unsigned int token)
{
	struct token_text name;

	if (!take_text(r, &name) || r->depth == BRACE_CALLS_MAX) {
		return false;
	}
	struct waymark_group *g = &r->groups[r->depth++];

	*g = (struct waymark_group){ .formatter = r->formatter,
		.kind = token - BRACE_TOKEN_STRUCT };
	r->inside = false;
	r->formatter->to->begin(g, name.start, name.length);
	return true;
}

static struct waymark_group *innermost(struct replay *r)
{
	return r->depth ? &r->groups[r->depth - 1] : NULL;
}

static bool read_field(struct replay *r, unsigned int token)
{
	struct waymark_group *g = innermost(r);
	struct token_text name = { NULL, 0 };

	if (!g || (token == BRACE_TOKEN_FIELD && !take_text(r, &name))) {
		return false;
	}
	r->formatter->to->field(g, name.start, name.length);
	r->inside = true;
	return true;
}

static bool read_colon(struct replay *r, unsigned int token)
{
	struct waymark_group *g = innermost(r);

	(void)token;
	if (!g) {
		return false;
	}
	r->formatter->to->colon(g);
	r->inside = true;
	return true;
}

static bool read_end(struct replay *r, unsigned int token)
{
	struct waymark_group *g = innermost(r);

	if (!g) {
		return false;
	}
	r->depth--;
	r->inside = false;
	r->formatter->to->end(g, token == BRACE_TOKEN_END_MORE);
	return true;
}

static bool read_words(struct replay *r, unsigned int token)
{
	const struct brace_builder *to = r->formatter->to;
	struct token_text t;
	bool whole = take_text(r, &t);

	(token == BRACE_TOKEN_NAME ? to->name : to->verbatim)(r->formatter, t.start, t.length);
	r->inside = !whole;
	return whole;
}

static bool read_unit(struct replay *r, unsigned int token)
{
	(void)token;
	r->inside = false;
	r->formatter->to->unit(r->formatter);
	return true;
}

/* The readers by token. Other numbers are no tokens, or end the tree. */
static token_reader *const readers[BRACE_TOKENS] = {
	[WAYMARK_DEBUG_POINTER] = read_pointer,
	[WAYMARK_DEBUG_STRING] = read_text,
	[WAYMARK_DEBUG_BYTES] = read_text,
	[WAYMARK_DEBUG_DURATION] = read_duration,
	[BRACE_TOKEN_NULL] = read_null,
	[BRACE_TOKEN_STRUCT] = read_begin,
	[BRACE_TOKEN_TUPLE] = read_begin,
	[BRACE_TOKEN_LIST] = read_begin,
	[BRACE_TOKEN_SET] = read_begin,
	[BRACE_TOKEN_MAP] = read_begin,
	[BRACE_TOKEN_FIELD] = read_field,
	[BRACE_TOKEN_ENTRY] = read_field,
	[BRACE_TOKEN_COLON] = read_colon,
	[BRACE_TOKEN_END] = read_end,
	[BRACE_TOKEN_END_MORE] = read_end,
	[BRACE_TOKEN_NAME] = read_words,
	[BRACE_TOKEN_VERBATIM] = read_words,
	[BRACE_TOKEN_UNIT] = read_unit,
};

static bool read_token(struct replay *r, unsigned int token)
{
	if (brace_token_width(token)) {
		return read_number(r, token);
	}
	return token < BRACE_TOKENS && readers[token] && readers[token](r, token);
}

/* Returns true if the tree is complete. */
static bool read_all(struct replay *r)
{
	while (left(r)) {
		unsigned int token = *r->at++;

		if (token == BRACE_TOKEN_WHOLE) {
			return r->depth == 0 && left(r) == 0;
		}
		if (!read_token(r, token)) {
			r->inside |= token == BRACE_TOKEN_CUT_VALUE;
			return false;
		}
	}
	return false;
}

void brace_tree_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	struct replay r; /* not initialized as a whole, as the groups are large */

	r.formatter = f;
	r.at = (const unsigned char *)v->as.pointer;
	r.end = r.at ? r.at + v->length : r.at;
	r.depth = 0;
	r.inside = false;
	if (read_all(&r)) {
		return;
	}
	/* Between the values of a group, the mark replaces the next value. */
	if (r.depth && !r.inside) {
		f->to->field(innermost(&r), NULL, 0);
	}
	f->to->verbatim(f, "...", 3);
}
