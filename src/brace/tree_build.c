/* SPDX-License-Identifier: MIT */
/*
 * Writes trees: a builder whose calls become tokens in a buffer. Invariant: one byte is reserved
 * for the token that ends the tree. A token that does not fit ends the tree; a printed text is cut.
 */
#include <string.h>

#include "brace/internal.h"
#include "brace/tree.h"

/* Bytes of a token and of its text's length. */
#define HEAD_MAX 6

/* Returns the bytes left for tokens: the last byte of the buffer is for the end. */
static size_t room(const struct brace_tree *t)
{
	return t->size - 1 - t->used;
}

static void cut(struct brace_tree *t, enum brace_token end)
{
	t->cut = true;
	t->end = (unsigned char)end;
}

/* Writes a token, its head and its text, or nothing if they do not fit. */
static void put(
	struct brace_tree *t, const void *head, size_t size, const void *text, size_t length)
{
	if (t->cut) {
		return;
	}
	if (room(t) < size || room(t) - size < length) {
		cut(t, BRACE_TOKEN_CUT);
		return;
	}
	memcpy(t->bytes + t->used, head, size);
	t->used += size;
	if (length) { /* if it is 0, `text` may be NULL */
		memcpy(t->bytes + t->used, text, length);
		t->used += length;
	}
}

static void put_token(struct brace_tree *t, enum brace_token token)
{
	unsigned char byte = (unsigned char)token;

	put(t, &byte, 1, NULL, 0);
}

/* Writes a token and the length of its text; returns the number of bytes. */
static size_t head_of(unsigned char *head, unsigned int token, size_t length)
{
	size_t n = 0;

	head[n++] = (unsigned char)token;
	for (; length >= 0x80; length >>= 7) {
		head[n++] = (unsigned char)(length | 0x80);
	}
	head[n++] = (unsigned char)length;
	return n;
}

static void put_named(struct brace_tree *t, unsigned int token, const char *name, size_t length)
{
	unsigned char head[HEAD_MAX];

	if (length > UINT32_MAX) {
		cut(t, BRACE_TOKEN_CUT);
		return;
	}
	put(t, head, head_of(head, token, length), name, length);
}

/* Writes a token whose text may be cut, between characters. */
static void put_shown(struct brace_tree *t, unsigned int token, const char *text, size_t length)
{
	unsigned char head[HEAD_MAX];
	size_t left = t->cut ? 0 : room(t);
	size_t size = head_of(head, token, length > UINT32_MAX ? UINT32_MAX : length);

	if (left <= HEAD_MAX || (size <= left && length <= left - size)) {
		put_named(t, token, text, length);
		return;
	}
	length = left - HEAD_MAX;
	if (token != WAYMARK_DEBUG_BYTES) {
		length = utf8_whole(text, length);
	}
	put_named(t, token, text, length);
	cut(t, BRACE_TOKEN_CUT_VALUE);
}

static void tree_begin(struct waymark_group *g, const char *name, size_t length)
{
	put_named(g->formatter->tree, BRACE_TOKEN_STRUCT + g->kind, name, length);
}

static void tree_field(struct waymark_group *g, const char *name, size_t length)
{
	if (name) {
		put_named(g->formatter->tree, BRACE_TOKEN_FIELD, name, length);
	} else {
		put_token(g->formatter->tree, BRACE_TOKEN_ENTRY);
	}
}

static void tree_colon(struct waymark_group *g)
{
	put_token(g->formatter->tree, BRACE_TOKEN_COLON);
}

static void tree_end(struct waymark_group *g, bool more)
{
	put_token(g->formatter->tree, more ? BRACE_TOKEN_END_MORE : BRACE_TOKEN_END);
}

static void tree_name(struct waymark_formatter *f, const char *name, size_t length)
{
	put_shown(f->tree, BRACE_TOKEN_NAME, name, length);
}

static void tree_verbatim(struct waymark_formatter *f, const char *text, size_t length)
{
	put_shown(f->tree, BRACE_TOKEN_VERBATIM, text, length);
}

static void tree_unit(struct waymark_formatter *f)
{
	put_token(f->tree, BRACE_TOKEN_UNIT);
}

/* Stores `width` bytes, little endian. */
static void store(unsigned char *out, uint64_t n, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++) {
		out[i] = (unsigned char)(n >> 8 * i);
	}
}

/* Returns the lower 64 bits of a number. */
static uint64_t bits_of(const struct waymark_debug *v)
{
	uint32_t f32;

	switch (v->kind) {
	case WAYMARK_DEBUG_F32:
		memcpy(&f32, &v->as.f32, sizeof(f32));
		return f32;
	case WAYMARK_DEBUG_BOOL:
		return v->as.u != 0;
	case WAYMARK_DEBUG_CHAR:
		return v->as.u < UINT32_MAX ? v->as.u : UINT32_MAX;
	default:
		return v->as.u; /* a double's bits are stored there */
	}
}

static void put_number(struct waymark_formatter *f, const struct waymark_debug *v)
{
	unsigned int width = brace_token_width(v->kind);
	unsigned char head[1 + 16] = { (unsigned char)v->kind };

	store(head + 1, bits_of(v), width > 8 ? 8 : width);
	if (width > 8) {
		store(head + 1 + 8, v->as.wide.high, 8);
	}
	put(f->tree, head, 1 + width, NULL, 0);
}

static void put_pointer(struct waymark_formatter *f, const struct waymark_debug *v)
{
	unsigned int width = brace_pointer_size(v);
	unsigned char head[2 + 8] = { (unsigned char)v->kind, (unsigned char)width };

	store(head + 2, v->as.u, width);
	put(f->tree, head, 2 + width, NULL, 0);
}

static void put_duration(struct waymark_formatter *f, const struct waymark_debug *v)
{
	unsigned char head[1 + BRACE_DURATION_BYTES] = { (unsigned char)v->kind };

	store(head + 1, v->as.wide.low, 8);
	store(head + 1 + 8, v->as.wide.high % 1000000000u, 4);
	put(f->tree, head, sizeof(head), NULL, 0);
}

static void put_string(struct waymark_formatter *f, const struct waymark_debug *v)
{
	if (v->as.pointer) {
		put_shown(f->tree, WAYMARK_DEBUG_STRING, (const char *)v->as.pointer, v->length);
	} else {
		put_token(f->tree, BRACE_TOKEN_NULL);
	}
}

static void put_bytes(struct waymark_formatter *f, const struct waymark_debug *v)
{
	const char *bytes = (const char *)v->as.pointer;

	put_shown(f->tree, WAYMARK_DEBUG_BYTES, bytes, bytes ? v->length : 0);
}

/* Adds a value. An unknown kind adds nothing, as in text. */
static void tree_value(struct waymark_formatter *f, const struct waymark_debug *v)
{
	static brace_renderer *const others[BRACE_KINDS] = {
		[WAYMARK_DEBUG_POINTER] = put_pointer,
		[WAYMARK_DEBUG_STRING] = put_string,
		[WAYMARK_DEBUG_BYTES] = put_bytes,
		[WAYMARK_DEBUG_TREE] = brace_tree_put,
		[WAYMARK_DEBUG_OBJECT] = brace_call,
		[WAYMARK_DEBUG_DURATION] = put_duration,
		[WAYMARK_DEBUG_FILE] = brace_descriptor_put,
		[WAYMARK_DEBUG_OWNED_FD] = brace_descriptor_put,
		[WAYMARK_DEBUG_BORROWED_FD] = brace_descriptor_put,
		[WAYMARK_DEBUG_EVENTFD] = brace_descriptor_put,
		[BRACE_CSTRING] = put_string,
	};

	if (brace_token_width(v->kind)) {
		put_number(f, v);
	} else if (v->kind < BRACE_KINDS) {
		others[v->kind](f, v);
	}
}

static const struct brace_builder tree_builder = {
	.begin = tree_begin,
	.field = tree_field,
	.colon = tree_colon,
	.end = tree_end,
	.name = tree_name,
	.unit = tree_unit,
	.value = tree_value,
	.verbatim = tree_verbatim,
};

bool brace_tree_build(struct brace_tree *t, void *buffer, size_t size,
	const struct brace_spec *spec, const struct waymark_debug *value)
{
	struct waymark_formatter f = {
		.to = &tree_builder,
		.tree = t,
		.spec = brace_spec_of(spec, value->kind),
	};

	*t = (struct brace_tree){ .bytes = buffer, .size = size, .end = BRACE_TOKEN_WHOLE };
	tree_value(&f, value);
	t->bytes[t->used++] = t->end;
	return !t->cut;
}

struct brace_spec brace_spec_at(const char *message, size_t length, size_t index)
{
	struct brace_spec none = BRACE_SPEC_DEFAULT;
	struct brace_parser parser;
	struct brace_piece piece;

	brace_parse(&parser, message, length);
	while (brace_next(&parser, &piece) == BRACE_TEXT || piece.kind == BRACE_PLACEHOLDER) {
		if (piece.kind == BRACE_PLACEHOLDER && index-- == 0) {
			return piece.spec;
		}
	}
	none.type = BRACE_DEBUG;
	return none;
}
