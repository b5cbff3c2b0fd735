/* SPDX-License-Identifier: MIT */
/* Makes proposals for a wrong format, from its text. check.c and format_parse.c report them. */
#include "model/mend.h"

#include <string.h>

bool mend_is_percent(struct location at)
{
	return at.offset + 1 < at.source->len && at.source->text[at.offset + 1] == ' ';
}

bool mend_is_star(struct location at)
{
	struct span text = { at.source->text + at.offset, at.source->len - at.offset };
	size_t n = 1;

	while (n < text.len && strchr("-+ #0123456789.", text.text[n]) && text.text[n]) {
		n++;
	}
	return n < text.len && text.text[n] == '*';
}

static char letter_for(const struct type *t, bool is_hex)
{
	if (t->class == TYPE_STRING) {
		return 's';
	}
	if (t->class == TYPE_POINTER) {
		return 'p';
	}
	if (t->class == TYPE_FLOAT) {
		return 'g';
	}
	if (is_hex) {
		return 'x';
	}
	return t->is_char ? 'c' : t->is_signed ? 'd' : 'u';
}

const char *mend_length(struct arena *a, const struct conversion *c, const struct type *t)
{
	struct conversion mended = *c;

	/* Drops lengths whose values are passed as an int anyway. */
	mended.length = t->size64 <= 4 || t->class != TYPE_INTEGER ? "" : t->length;
	if (strchr("diu", c->letter)) {
		mended.letter = t->is_signed ? 'd' : 'u';
	}
	return conversion_text(a, &mended);
}

const char *mend_conversion(struct arena *a, const struct type *t, bool is_hex)
{
	const struct conversion bare = {
		CONVERSION_PLAIN,
		.letter = letter_for(t, is_hex),
	};

	return mend_length(a, &bare, t);
}

/* Drops what the letter ignores; a `*` keeps its argument if the letter can have one. */
const char *mend_class(
	struct arena *a, const struct conversion *c, const struct arg *arg, bool is_hex)
{
	struct conversion mended = *c;
	bool has_star = c->width_arg != FORMAT_NO_ARG || c->precision_arg != FORMAT_NO_ARG;

	mended.letter = letter_for(&arg->type, is_hex);
	if (!has_star) {
		return arena_printf(
			a, "print '%s' with %s", arg->name, mend_conversion(a, &arg->type, is_hex));
	}
	if (c->precision_arg != FORMAT_NO_ARG && strchr("cp", mended.letter)) {
		return arena_printf(a, "declare '%s' as '%s'", arg->name,
			c->letter == 's' ? "const char *" : "int");
	}
	mended.flags[0] = '\0';
	return arena_printf(
		a, "print '%s' with %s", arg->name, mend_length(a, &mended, &arg->type));
}

/* Returns the text of an argument in its file. */
static struct span text_of(const struct arg *arg)
{
	const char *text = arg->at.source->text + arg->at.offset;
	size_t n = 0;

	while (text[n] != ',' && text[n] != ')') {
		n++;
	}
	return span_trim((struct span){ text, n });
}

/* Return the line before an argument's text, and after it. */
static struct span line_before(const struct arg *arg)
{
	size_t from = arg->at.offset;

	while (from > 0 && arg->at.source->text[from - 1] != '\n') {
		from--;
	}
	return (struct span){ arg->at.source->text + from, arg->at.offset - from };
}

static struct span line_behind(const struct arg *arg)
{
	const struct source *source = arg->at.source;
	struct span text = text_of(arg);
	const char *from = text.text + text.len;
	size_t left = source->len - (size_t)(from - source->text);
	const char *newline = memchr(from, '\n', left);

	return span_trim((struct span){ from, newline ? (size_t)(newline - from) : left });
}

const char *mend_star(struct arena *a, const struct event *e, int index)
{
	const struct arg *arg = &e->args[index];

	return arena_printf(a, "write: %.*sint %s%.*s", SPAN_ARGS(line_before(arg)), arg->name,
		SPAN_ARGS(line_behind(arg)));
}

const char *mend_order(struct arena *a, const struct event *e, const struct conversion *c)
{
	const struct arg *text = &e->args[c->precision_arg];
	const struct arg *length = &e->args[c->arg];
	struct span type = { "const char *", strlen("const char *") };

	if (text->type.class == TYPE_STRING) {
		type = text_of(text);
		type.len -= strlen(text->name);
	}
	return arena_printf(a, "write: %.*sint %s, %.*s%s%.*s", SPAN_ARGS(line_before(text)),
		length->name, SPAN_ARGS(type), text->name, SPAN_ARGS(line_behind(length)));
}

static bool has_letter(const struct scan *s)
{
	struct scan ahead = *s;

	if (scan_accept(&ahead, '"')) {
		scan_skip_blanks(&ahead);
		return scan_peek(&ahead) == 'P';
	}
	return is_letter(scan_peek(s));
}

/* Copies the format and mends its conversions; false if there are too many. */
static bool write_mended(struct out *o, struct arena *a, const struct event *e, struct scan *s)
{
	size_t arg = 0;

	while (scan_peek(s) != SCAN_END) {
		size_t from = s->pos;
		bool is_conversion = scan_accept(s, '%') && !scan_accept(s, '%');

		if (!is_conversion) {
			s->pos = s->pos == from ? from + 1 : s->pos;
			out_bytes(o, s->source->text + from, s->pos - from);
			continue;
		}
		/* Skips flags, width and precision. */
		while (scan_peek(s) > 0 && strchr("-+ #0", scan_peek(s))) {
			s->pos++;
		}
		while (is_digit(scan_peek(s)) || scan_peek(s) == '.') {
			s->pos++;
		}
		if (arg == e->arg_count) {
			return false;
		}
		out_bytes(o, s->source->text + from, s->pos - from);
		if (!has_letter(s)) {
			bool is_hex = from >= 2 && memcmp(s->source->text + from - 2, "0x", 2) == 0;
			const char *rest = mend_conversion(a, &e->args[arg].type, is_hex) + 1;

			out_str(o, rest);
			if (rest[0] == '"' && !scan_accept(s, '"')) {
				out_str(o, " \"");
			}
		}
		arg++;
	}
	return arg == e->arg_count;
}

const char *mend_letters(struct arena *a, const struct event *e, const struct scan *format)
{
	const char *text = format->source->text;
	size_t line = format->pos;
	struct scan s = *format;
	struct out o;
	const char *help = NULL;

	if (!e) {
		return NULL;
	}
	while (line > 0 && text[line - 1] != '\n') {
		line--;
	}
	out_init(&o, OUT_TO_MEMORY);
	out_str(&o, "write: ");
	out_bytes(&o, text + line, format->pos - line);
	if (write_mended(&o, a, e, &s)) {
		help = arena_strndup(a, o.data, o.len);
	}
	out_fini(&o);
	return help;
}
