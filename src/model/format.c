/* SPDX-License-Identifier: MIT */
/* Formats as values: joins them, and converts them back into text. */
#include "model/format.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "model/event.h"

const struct conversion *format_conversion_of(const struct format *f, size_t arg)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct segment *s = &f->segments[i];

		if (s->has_conversion && s->conversion.arg == (int)arg) {
			return &s->conversion;
		}
	}
	return NULL;
}

void format_drop(struct format *f)
{
	f->segments = NULL;
	f->count = f->args = 0;
}

static void move_args(struct conversion *c, int by)
{
	c->arg += by;
	c->width_arg += c->width_arg == FORMAT_NO_ARG ? 0 : by;
	c->precision_arg += c->precision_arg == FORMAT_NO_ARG ? 0 : by;
}

void format_shift(struct format *f, int by)
{
	for (size_t i = 0; i < f->count; i++) {
		move_args(&f->segments[i].conversion, by);
	}
}

/*
 * Prepends the prefix's last text to the segment after it. Only the last segment has no conversion.
 */
static void join_text(struct segment *to, const struct segment *prefix, struct arena *a)
{
	char *text = arena_alloc(a, prefix->len + to->len + 1);

	memcpy(text, prefix->text, prefix->len);
	memcpy(text + prefix->len, to->text, to->len);
	to->len += prefix->len;
	to->text = text;
}

void format_prepend(struct format *f, struct arena *a, const struct format *prefix)
{
	struct segment *all = arena_array(a, struct segment, prefix->count + f->count);
	size_t n = prefix->count;

	memcpy(all, prefix->segments, n * sizeof(*all));
	if (n > 0 && f->count > 0 && !all[n - 1].has_conversion) {
		join_text(&f->segments[0], &all[--n], a);
	}
	for (size_t i = 0; i < f->count; i++) {
		all[n] = f->segments[i];
		move_args(&all[n++].conversion, (int)prefix->args);
	}
	f->segments = all;
	f->count = n;
	f->args += prefix->args;
	f->source =
		f->source ? arena_printf(a, "%s %s", prefix->source, f->source) : prefix->source;
}

/* Flags, and the letters for which they have an effect. */
static const struct {
	char flag;
	const char *letters;
} flag_effects[] = {
	{ '-', "diouxXcsp" FORMAT_FLOATS },
	{ '+', "di" FORMAT_FLOATS },
	{ ' ', "di" FORMAT_FLOATS },
	{ '#', "oxX" FORMAT_FLOATS },
	{ '0', "diouxX" FORMAT_FLOATS },
};

/*
 * A negative `.*` would make a `0` flag effective again. Compilers warn of this pair in any case,
 * so the `0` is dropped here for all views.
 */
bool conversion_heeds(const struct conversion *c, char flag)
{
	bool is_precise = c->precision >= 0 || c->precision_arg != FORMAT_NO_ARG;

	if ((flag == '0' && ((is_precise && !format_is_float(c)) || strchr(c->flags, '-'))) ||
		(flag == ' ' && strchr(c->flags, '+'))) {
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(flag_effects); i++) {
		if (flag_effects[i].flag == flag) {
			return strchr(flag_effects[i].letters, c->letter) != NULL;
		}
	}
	return false;
}

const char *conversion_text(struct arena *a, const struct conversion *c)
{
	char width[16] = "";
	char precision[16] = "";
	bool is_macro = is_digit((unsigned char)c->length[0]) || c->length[0] < 'a';

	if (c->width_arg != FORMAT_NO_ARG || c->width >= 0) {
		snprintf(width, sizeof(width), c->width >= 0 ? "%d" : "*", c->width);
	}
	if (c->precision_arg != FORMAT_NO_ARG || c->precision >= 0) {
		snprintf(precision, sizeof(precision), c->precision_arg < 0 ? ".%d" : ".*",
			c->precision);
	}
	if (is_macro && *c->length) {
		return arena_printf(
			a, "%%%s%s%s\" PRI%c%s", c->flags, width, precision, c->letter, c->length);
	}
	return arena_printf(a, "%%%s%s%s%s%c", c->flags, width, precision, c->length, c->letter);
}

/* ---- Messages with braces ---- */

/*
 * Makes segments from the pieces of a message with braces that src/brace finds. Consecutive pieces
 * of text, as around `{{`, are joined.
 */

struct message {
	struct arena *arena;
	struct diag *diag;
	const struct placed *source;
	VEC(struct segment) segments;
	char *text; /* text of all segments; has room for the whole message */
	size_t used;
	size_t begin; /* start of the unfinished segment */
};

/* Ends a segment, with a conversion unless it is the last. */
static void add_segment(struct message *m, const struct conversion *c)
{
	struct segment s = { .text = m->text + m->begin, .len = m->used - m->begin };

	if (c) {
		s.has_conversion = true;
		s.conversion = *c;
	}
	if (c || s.len > 0) {
		vec_push(&m->segments, s);
	}
	m->begin = m->used;
}

static void add_placeholder(struct message *m, struct format *f, const struct brace_piece *piece)
{
	struct brace_spec *spec = arena_new(m->arena, struct brace_spec);

	*spec = piece->spec;
	add_segment(m, &(struct conversion){
			       CONVERSION_PLAIN,
			       .arg = (int)f->args++,
			       .spec = spec,
			       .at = placed_location(m->source, piece->offset),
		       });
}

static bool read_pieces(struct message *m, struct format *f)
{
	struct brace_parser parser;
	struct brace_piece piece;

	brace_parse(&parser, m->source->span.text, m->source->span.len);
	while (brace_next(&parser, &piece) == BRACE_TEXT || piece.kind == BRACE_PLACEHOLDER) {
		if (piece.kind == BRACE_PLACEHOLDER) {
			add_placeholder(m, f, &piece);
			continue;
		}
		memcpy(m->text + m->used, piece.text, piece.length);
		m->used += piece.length;
	}
	add_segment(m, NULL);
	if (piece.kind == BRACE_ERROR) {
		/* The error has the form "what is wrong: what to do". */
		const char *colon = strstr(piece.error, ": ");
		size_t len = colon ? (size_t)(colon - piece.error) : strlen(piece.error);

		diag_error(m->diag, placed_location(m->source, piece.offset),
			colon ? colon + 2 : NULL, "%.*s", (int)len, piece.error);
	}
	return piece.kind == BRACE_END;
}

bool format_parse_braces(
	struct format *f, struct arena *a, struct diag *d, const struct placed *message)
{
	struct span span = message->span;
	struct message m = { .arena = a, .diag = d, .source = message };

	*f = (struct format){ .style = FORMAT_BRACES, .at = placed_location(message, 0) };
	f->source = arena_strndup(a, span.text, span.len);
	const char *nul = memchr(span.text, '\0', span.len);

	if (nul) {
		diag_error(d, placed_location(message, (size_t)(nul - span.text)), "remove it",
			"a message cannot hold a NUL");
		return false;
	}
	m.text = arena_alloc(a, span.len + 1);
	bool good = read_pieces(&m, f);

	f->count = m.segments.count;
	f->segments = arena_array(a, struct segment, f->count);
	if (f->count > 0) {
		memcpy(f->segments, m.segments.items, f->count * sizeof(*f->segments));
	}
	vec_fini(&m.segments);
	return good;
}

/* ---- Messages with braces as the nearest formats of printf ---- */

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
