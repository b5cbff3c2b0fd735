/* SPDX-License-Identifier: MIT */
/* Converts messages with braces to the nearest format of printf. */
#include <string.h>

#include "model/event.h"
#include "model/format.h"

static bool is_printable(const struct type *t)
{
	return t->class == TYPE_STRING || t->class == TYPE_TEXT || t->class == TYPE_POINTER ||
	       (t->class == TYPE_INTEGER && t->size64 <= sizeof(uint64_t));
}

static char integer_letter(const struct type *t, enum brace_type type)
{
	static const char letters[BRACE_TYPES] = {
		[BRACE_LOWER_HEX] = 'x',
		[BRACE_UPPER_HEX] = 'X',
		[BRACE_DEBUG_LOWER] = 'x',
		[BRACE_DEBUG_UPPER] = 'X',
		[BRACE_OCTAL] = 'o',
		[BRACE_BINARY] = 'x', /* after 0x: see write_prefix() */
	};

	if (letters[type] && !t->is_bool) {
		return letters[type];
	}
	return t->is_signed ? 'd' : 'u';
}

static char letter_of(const struct type *t, enum brace_type type, char other)
{
	if (!is_printable(t)) {
		return other;
	}
	if (t->class == TYPE_INTEGER) {
		return integer_letter(t, type);
	}
	return t->class == TYPE_POINTER ? 'p' : 's';
}

static void add_text(struct segment *s, struct arena *a, const char *text)
{
	s->text = arena_printf(a, "%.*s%s", (int)s->len, s->text, text);
	s->len += strlen(text);
}

/* Writes `0x` as text, since printf writes 0X before capitals and nothing before a zero. */
static void write_prefix(struct segment *s, struct arena *a)
{
	struct conversion *c = &s->conversion;
	const char *prefix = c->letter == 'o' ? "0o" : "0x";

	if (!strchr("xXo", c->letter) || !(c->spec->alternate || c->spec->type == BRACE_BINARY)) {
		return;
	}
	add_text(s, a, prefix);
	c->width = c->width > 2 ? c->width - 2 : -1;
}

static bool is_quoted(const struct type *t, const struct brace_spec *spec)
{
	bool is_debug = spec->type >= BRACE_DEBUG && spec->type <= BRACE_DEBUG_UPPER;

	return is_debug && (t->class == TYPE_STRING || t->class == TYPE_TEXT);
}

static void convert(struct segment *s, struct arena *a, const struct type *t, char other)
{
	struct conversion *c = &s->conversion;
	const struct brace_spec *spec = c->spec;

	c->letter = letter_of(t, spec->type, other);
	if (!is_printable(t)) {
		return;
	}
	c->length = t->length;
	c->width = spec->width;
	c->precision = c->letter == 's' ? spec->precision : -1;
	if (t->class == TYPE_INTEGER) {
		write_prefix(s, a);
	}
	/* Rust pads texts on the right, and numbers on the left. */
	bool is_text = c->letter == 's' || t->is_bool;
	bool is_left =
		spec->align == BRACE_ALIGN_LEFT || (is_text && spec->align == BRACE_ALIGN_DEFAULT);
	size_t n = 0;

	if (spec->plus && c->letter == 'd') {
		c->flags[n++] = '+';
	}
	if (spec->zero && !is_text) {
		c->flags[n++] = '0';
	} else if (c->width >= 0 && is_left) {
		c->flags[n++] = '-';
	}
}

struct format *format_as_printf(struct arena *a, const struct event *e, char other)
{
	struct format *f = arena_new(a, struct format);
	const char *quote = "";

	*f = e->format;
	f->style = FORMAT_PRINTF;
	f->segments = arena_array(a, struct segment, f->count + 1);
	for (size_t i = 0; i < f->count; i++) {
		struct segment *s = &f->segments[i];

		*s = e->format.segments[i];
		/* follows the quote that the previous segment left open */
		s->text = arena_printf(a, "%s%.*s", quote, (int)s->len, s->text);
		s->len += strlen(quote);
		quote = "";
		if (s->has_conversion) {
			const struct type *t = &e->args[s->conversion.arg].type;

			quote = is_quoted(t, s->conversion.spec) ? "\"" : "";
			add_text(s, a, quote);
			convert(s, a, t, other);
			s->conversion.spec = NULL;
		}
	}
	if (*quote) {
		f->segments[f->count++] = (struct segment){ .text = quote, .len = 1 };
	}
	return f;
}
