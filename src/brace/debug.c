/* SPDX-License-Identifier: MIT */
/*
 * The builder's way to text: groups of values between brackets, on one line or, in {:#?}, one
 * a line. Nested values are rendered by the placeholder of the whole.
 */
#include <string.h>

#include "brace/internal.h"

/* What a kind of group is written with: on one line, on many. */
static const struct {
	const char *empty; /* the whole, without fields */
	const char *first[2]; /* before the first field */
	const char *last[2]; /* after the last */
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

/* Every line of {:#?} begins with four spaces for each level. */
static void put_indent(struct waymark_formatter *f)
{
	for (unsigned int i = 0; i < f->depth; i++) {
		brace_put(f->sink, "    ", 4);
	}
}

static void put_line(struct waymark_formatter *f, const char *text, size_t length)
{
	if (f->line_begins) {
		put_indent(f);
	}
	brace_put(f->sink, text, length);
	f->line_begins = text[length - 1] == '\n';
}

void brace_put_text(struct waymark_formatter *f, const char *text, size_t length)
{
	if (f->depth == 0) {
		brace_put(f->sink, text, length);
		return;
	}
	while (length) {
		const char *end = memchr(text, '\n', length);
		size_t n = end ? (size_t)(end - text) + 1 : length;

		put_line(f, text, n);
		text += n;
		length -= n;
	}
}

static void text_begin(struct waymark_group *g, const char *name, size_t length)
{
	g->depth = g->formatter->depth;
	g->named = length != 0;
	brace_put_mended(g->formatter, name, length);
}

/* What stands behind a field is known when the next begins, or the group ends. */
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

static void text_colon(struct waymark_group *g)
{
	put_word(g->formatter, ": ");
}

/* Behind the last field. */
static void put_last(struct waymark_group *g, bool more)
{
	struct waymark_formatter *f = g->formatter;

	/* A tuple of one is told from a value in parentheses. */
	if (g->kind == BRACE_TUPLE && g->fields == 1 && !g->named) {
		put_word(f, ",");
	}
	put_word(f, more ? ", .." : "");
}

static void put_last_line(struct waymark_group *g, bool more)
{
	put_word(g->formatter, ",\n");
	put_word(g->formatter, more ? "..\n" : "");
	g->formatter->depth = g->depth;
}

static void text_end(struct waymark_group *g, bool more)
{
	struct waymark_formatter *f = g->formatter;
	bool pretty = f->spec.alternate;

	if (g->fields == 0) {
		put_word(f, more ? " { .. }" : brackets[g->kind].empty);
		return;
	}
	if (pretty) {
		put_last_line(g, more);
	} else {
		put_last(g, more);
	}
	put_word(f, brackets[g->kind].last[pretty]);
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

const struct brace_builder brace_text_builder = {
	.begin = text_begin,
	.field = text_field,
	.colon = text_colon,
	.end = text_end,
	.name = brace_put_mended,
	.unit = brace_unit_put,
	.value = brace_value_put,
	.verbatim = brace_put_mended,
};
