/* SPDX-License-Identifier: MIT */
/*
 * The top layer of rendering: the table of kinds chooses the renderer of a value, the builder
 * writes groups of values as text, and brace_format() renders whole messages. Nested values are
 * rendered with the placeholder of the outermost one.
 */
#include <string.h>

#include "brace/internal.h"

/* ---- Groups as text ---- */

/*
 * The text around the fields of a group: [0] on one line, [1] one line for each field, for {:#?}.
 */
static const struct {
	const char *empty; /* instead of both, for a group without fields */
	const char *first[2]; /* before the first field */
	const char *last[2]; /* after the last field */
} brackets[BRACE_GROUPS] = {
	[BRACE_STRUCT] = { "", { " { ", " {\n" }, { " }", "}" } },
	[BRACE_TUPLE] = { "", { "(", "(\n" }, { ")", ")" } },
	[BRACE_LIST] = { "[]", { "[", "[\n" }, { "]", "]" } },
	[BRACE_SET] = { "{}", { "{", "{\n" }, { "}", "}" } },
	[BRACE_MAP] = { "{}", { "{", "{\n" }, { "}", "}" } },
};

static void put_word(struct waymark_formatter *f, const char *word)
{
	brace_put_text(f, word, strlen(word));
}

static void text_begin(struct waymark_group *g, const char *name, size_t length)
{
	g->depth = g->formatter->depth;
	g->named = length != 0;
	brace_put_mended(g->formatter, name, length);
}

/* Begins a field. Also ends the previous one, as only now another one is known to follow. */
static void text_field(struct waymark_group *g, const char *name, size_t length)
{
	struct waymark_formatter *f = g->formatter;
	bool pretty = f->spec.alternate;

	if (g->fields++ == 0) {
		put_word(f, brackets[g->kind].first[pretty]);
	} else {
		put_word(f, pretty ? ",\n" : ", ");
	}
	f->depth = g->depth + pretty;
	f->line_begins = pretty;
	if (name) {
		brace_put_mended(f, name, length);
		put_word(f, ": ");
	}
}

/* Separates the key and the value of a map's entry. */
static void text_colon(struct waymark_group *g)
{
	put_word(g->formatter, ": ");
}

static void text_end(struct waymark_group *g, bool more)
{
	struct waymark_formatter *f = g->formatter;

	if (g->fields == 0) {
		put_word(f, more ? " { .. }" : brackets[g->kind].empty);
		return;
	}
	if (f->spec.alternate) {
		put_word(f, more ? ",\n..\n" : ",\n");
		f->depth = g->depth;
	} else {
		/* The comma distinguishes a tuple of one field from a value in parentheses. */
		put_word(f, g->kind == BRACE_TUPLE && g->fields == 1 && !g->named ? "," : "");
		put_word(f, more ? ", .." : "");
	}
	put_word(f, brackets[g->kind].last[f->spec.alternate]);
}

void brace_bytes_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	const unsigned char *bytes = (const unsigned char *)v->as.pointer;
	struct waymark_group g = { .formatter = f, .kind = BRACE_LIST };

	text_begin(&g, "", 0);
	for (size_t i = 0; bytes && i < v->length && !brace_has_enough(f->sink); i++) {
		struct waymark_debug byte = waymark_debug_u8(bytes[i]);

		text_field(&g, NULL, 0);
		brace_integer_put(f, &byte);
	}
	text_end(&g, false);
}

/* ---- Kinds of values ---- */

#define BIT(type) (1u << (type))
#define DEBUGS (BIT(BRACE_DEBUG) | BIT(BRACE_DEBUG_LOWER) | BIT(BRACE_DEBUG_UPPER))
#define WORDS (DEBUGS | BIT(BRACE_DISPLAY))
#define REALS (WORDS | BIT(BRACE_LOWER_EXP) | BIT(BRACE_UPPER_EXP))
#define INTEGERS (BIT(BRACE_TYPES) - 1 - BIT(BRACE_POINTER_TYPE))
#define ADDRESSES (DEBUGS | BIT(BRACE_POINTER_TYPE))

/* The table of kinds. `otherwise` replaces a placeholder's type that the kind does not accept. */
static const struct {
	brace_renderer *put;
	unsigned int accepts;
	enum brace_type otherwise;
} kinds[BRACE_KINDS] = {
	[WAYMARK_DEBUG_U8] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_U16] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_U32] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_U64] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_I8] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_I16] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_I32] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_I64] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_U128] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_I128] = { brace_integer_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_F32] = { brace_float_put, REALS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_F64] = { brace_float_put, REALS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_BOOL] = { brace_bool_put, WORDS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_CHAR] = { brace_char_put, WORDS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_POINTER] = { brace_pointer_put, ADDRESSES, BRACE_DEBUG },
	[WAYMARK_DEBUG_STRING] = { brace_string_put, WORDS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_BYTES] = { brace_bytes_put, DEBUGS, BRACE_DEBUG },
	[WAYMARK_DEBUG_TREE] = { brace_tree_put, DEBUGS, BRACE_DEBUG },
	[WAYMARK_DEBUG_OBJECT] = { brace_call, DEBUGS, BRACE_DEBUG },
	[WAYMARK_DEBUG_DURATION] = { brace_duration_put, DEBUGS, BRACE_DEBUG },
	[WAYMARK_DEBUG_FILE] = { brace_descriptor_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_OWNED_FD] = { brace_descriptor_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_BORROWED_FD] = { brace_descriptor_put, INTEGERS, BRACE_DISPLAY },
	[WAYMARK_DEBUG_EVENTFD] = { brace_descriptor_put, INTEGERS, BRACE_DISPLAY },
	[BRACE_CSTRING] = { brace_string_put, DEBUGS, BRACE_DEBUG },
};

bool brace_accepts(unsigned int kind, enum brace_type type)
{
	return kind < BRACE_KINDS && type < BRACE_TYPES && (kinds[kind].accepts & BIT(type)) != 0;
}

struct brace_spec brace_spec_of(const struct brace_spec *spec, unsigned int kind)
{
	struct brace_spec s = *spec;

	if (kind < BRACE_KINDS && !brace_accepts(kind, s.type)) {
		s.type = kinds[kind].otherwise;
	}
	return s;
}

void brace_value_put(struct waymark_formatter *f, const struct waymark_debug *value)
{
	if (value->kind < BRACE_KINDS && !brace_has_enough(f->sink)) {
		kinds[value->kind].put(f, value);
	}
}

static const struct brace_builder text_builder = {
	.begin = text_begin,
	.field = text_field,
	.colon = text_colon,
	.end = text_end,
	.name = brace_put_mended,
	.unit = brace_unit_put,
	.value = brace_value_put,
	.verbatim = brace_put_mended,
};

/* ---- Messages ---- */

void brace_render(
	struct brace_sink *s, const struct brace_spec *spec, const struct waymark_debug *value)
{
	struct waymark_formatter f = {
		.to = &text_builder,
		.sink = s,
		.spec = brace_spec_of(spec, value->kind),
	};

	brace_value_put(&f, value);
}

size_t brace_format(struct brace_sink *s, const char *message, size_t length,
	const struct waymark_debug *values, size_t count)
{
	struct brace_parser parser;
	struct brace_piece piece;
	size_t used = 0;

	brace_parse(&parser, message, length);
	while (brace_next(&parser, &piece) == BRACE_TEXT || piece.kind == BRACE_PLACEHOLDER) {
		if (piece.kind == BRACE_PLACEHOLDER && used < count) {
			brace_render(s, &piece.spec, &values[used++]);
		} else {
			brace_put(s, piece.text, piece.length);
		}
	}
	if (piece.kind == BRACE_ERROR) {
		brace_put(s, message + parser.at, length - parser.at);
	}
	return s->length;
}
