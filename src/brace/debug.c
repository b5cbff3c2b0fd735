/* SPDX-License-Identifier: MIT */
/*
 * The builder of {:?}: groups of values between brackets, on one line or, in {:#?}, one a line.
 * Nested values are rendered by the placeholder of the whole.
 */
#include <string.h>

#include "brace/internal.h"

/* What a kind of group is written with: on one line, on many. */
struct brace_brackets {
	const char *empty; /* the whole, without fields */
	const char *first[2]; /* before the first field */
	const char *last[2]; /* after the last */
};

static const struct brace_brackets struct_brackets = { "", { " { ", " {\n" }, { " }", "}" } };
static const struct brace_brackets tuple_brackets = { "", { "(", "(\n" }, { ")", ")" } };
static const struct brace_brackets list_brackets = { "[]", { "[", "[\n" }, { "]", "]" } };
static const struct brace_brackets set_brackets = { "{}", { "{", "{\n" }, { "}", "}" } };

static void put_word(struct brace_debug *d, const char *word)
{
	brace_debug_text(d, word, strlen(word));
}

/* Every line of {:#?} begins with four spaces for each level. */
static void put_indent(struct brace_debug *d)
{
	for (unsigned int i = 0; i < d->depth; i++) {
		brace_put(d->sink, "    ", 4);
	}
}

static void put_line(struct brace_debug *d, const char *text, size_t length)
{
	if (d->line_begins) {
		put_indent(d);
	}
	brace_put(d->sink, text, length);
	d->line_begins = text[length - 1] == '\n';
}

void brace_debug_text(struct brace_debug *d, const char *text, size_t length)
{
	if (d->depth == 0) {
		brace_put(d->sink, text, length);
		return;
	}
	while (length) {
		const char *end = memchr(text, '\n', length);
		size_t n = end ? (size_t)(end - text) + 1 : length;

		put_line(d, text, n);
		text += n;
		length -= n;
	}
}

static void begin(struct brace_group *g, struct brace_debug *d, const char *name,
	const struct brace_brackets *brackets)
{
	*g = (struct brace_group){ .debug = d, .brackets = brackets, .named = *name != '\0' };
	put_word(d, name);
}

void brace_struct(struct brace_group *g, struct brace_debug *d, const char *name)
{
	begin(g, d, name, &struct_brackets);
}

void brace_tuple(struct brace_group *g, struct brace_debug *d, const char *name)
{
	begin(g, d, name, &tuple_brackets);
}

void brace_list(struct brace_group *g, struct brace_debug *d)
{
	begin(g, d, "", &list_brackets);
}

void brace_set(struct brace_group *g, struct brace_debug *d)
{
	begin(g, d, "", &set_brackets);
}

void brace_map(struct brace_group *g, struct brace_debug *d)
{
	begin(g, d, "", &set_brackets);
}

static void field_begin(struct brace_group *g)
{
	struct brace_debug *d = g->debug;
	bool pretty = d->spec.alternate;

	if (g->fields++ == 0) {
		put_word(d, g->brackets->first[pretty]);
	} else if (!pretty) {
		put_word(d, ", ");
	}
	if (pretty) {
		d->depth++;
		d->line_begins = true;
	}
}

static void field_end(struct brace_group *g)
{
	if (g->debug->spec.alternate) {
		put_word(g->debug, ",\n");
		g->debug->depth--;
	}
}

void brace_field(struct brace_group *g, const char *name, const struct brace_value *value)
{
	field_begin(g);
	put_word(g->debug, name);
	put_word(g->debug, ": ");
	brace_nested(g->debug, value);
	field_end(g);
}

void brace_entry(struct brace_group *g, const struct brace_value *value)
{
	field_begin(g);
	brace_nested(g->debug, value);
	field_end(g);
}

void brace_pair(
	struct brace_group *g, const struct brace_value *key, const struct brace_value *value)
{
	field_begin(g);
	brace_nested(g->debug, key);
	put_word(g->debug, ": ");
	brace_nested(g->debug, value);
	field_end(g);
}

void brace_group_end(struct brace_group *g)
{
	bool pretty = g->debug->spec.alternate;

	if (g->fields == 0) {
		put_word(g->debug, g->brackets->empty);
		return;
	}
	/* A tuple of one is told from a value in parentheses. */
	if (g->brackets == &tuple_brackets && g->fields == 1 && !g->named && !pretty) {
		put_word(g->debug, ",");
	}
	put_word(g->debug, g->brackets->last[pretty]);
}

void brace_struct_end_more(struct brace_group *g)
{
	struct brace_debug *d = g->debug;

	if (g->fields == 0) {
		put_word(d, " { .. }");
		return;
	}
	field_begin(g);
	put_word(d, d->spec.alternate ? "..\n" : "..");
	d->depth -= d->spec.alternate;
	put_word(d, g->brackets->last[d->spec.alternate]);
}

void brace_name(struct brace_debug *d, const char *name)
{
	put_word(d, name);
}

void brace_variant(struct brace_debug *d, const char *name, const struct brace_value *value)
{
	struct brace_group g;

	brace_tuple(&g, d, name);
	brace_entry(&g, value);
	brace_group_end(&g);
}

void brace_option(struct brace_debug *d, const struct brace_value *value)
{
	if (value) {
		brace_variant(d, "Some", value);
	} else {
		brace_name(d, "None");
	}
}

void brace_bytes_put(struct brace_debug *d, const struct brace_value *v)
{
	size_t length = v->string.text ? v->string.length : 0;
	struct brace_group g;

	brace_list(&g, d);
	for (size_t i = 0; i < length; i++) {
		struct brace_value byte = brace_unsigned((unsigned char)v->string.text[i], 8);

		brace_entry(&g, &byte);
	}
	brace_group_end(&g);
}
