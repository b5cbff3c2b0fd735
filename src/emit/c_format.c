/* SPDX-License-Identifier: MIT */
/*
 * Builds an event's format for printf-like functions: flags, width, precision and letter from the
 * declaration, the length modifier from the argument's type, so that no compiler warns, whatever
 * the size of `long` is. Without a format, each argument is printed with its name, as by the
 * readers. Messages with braces become the nearest equivalent.
 */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "emit/c_code.h"

static char letter_of(const struct type *t)
{
	switch (t->class) {
	case TYPE_STRING:
		return 's';
	case TYPE_FLOAT:
		return 'g';
	case TYPE_INTEGER:
		return t->is_signed ? 'd' : 'u';
	default:
		return 'x';
	}
}

/* Makes `name=%d` or `name=0x%x`, with a blank before it unless it is first. */
static struct segment named_value(
	struct emit_context *c, const struct event *e, size_t index, bool is_first)
{
	const struct arg *arg = &e->args[index];
	char letter = letter_of(&arg->type);
	const char *text = arena_printf(
		&c->texts, "%s%s=%s", is_first ? "" : " ", arg->name, letter == 'x' ? "0x" : "");

	return (struct segment){
		.text = text,
		.len = strlen(text),
		.has_conversion = true,
		.conversion = {
			CONVERSION_PLAIN,
			.arg = (int)index,
			.letter = letter,
		},
	};
}

const struct format *c_format(struct emit_context *c, const struct event *e)
{
	if (e->properties & EVENT_SCOPE) {
		/*
		 * Appends the scope's number to the message; the scope's end prints the same
		 * number.
		 */
		struct format *f = format_as_printf(&c->texts, e, C_NO_LETTER);
		struct segment *segments = arena_array(&c->texts, struct segment, f->count + 1);

		for (size_t i = 0; i < f->count; i++) {
			segments[i] = f->segments[i];
		}
		segments[f->count] = named_value(c, e, 0, f->count == 0);
		f->segments = segments;
		f->count++;
		return f;
	}
	if (e->format.style == FORMAT_BRACES) {
		return format_as_printf(&c->texts, e, C_NO_LETTER);
	}
	if (e->format.count > 0 || e->arg_count == 0) {
		return &e->format;
	}
	struct format *f = arena_new(&c->texts, struct format);

	f->count = f->args = e->arg_count;
	f->segments = arena_array(&c->texts, struct segment, f->count);
	for (size_t i = 0; i < f->count; i++) {
		f->segments[i] = named_value(c, e, i, i == 0);
	}
	return f;
}

/* A format under construction: `"...%" PRIx64 "..."`. */
struct literal {
	struct out *out;
	bool open; /* inside quotes */
	char last;
};

static void literal_char(struct literal *l, char ch)
{
	if (!l->open) {
		out_str(l->out, l->out->len ? " \"" : "\"");
		l->open = true;
	}
	c_literal_char(l->out, ch, l->last);
	l->last = ch;
}

static void literal_str(struct literal *l, const char *s)
{
	while (*s) {
		literal_char(l, *s++);
	}
}

static void literal_close(struct literal *l)
{
	if (l->open) {
		out_char(l->out, '"');
		l->open = false;
		l->last = '\0';
	}
}

/* Appends a macro of <inttypes.h>, which ends the quotes. */
static void literal_macro(struct literal *l, char letter, const char *length)
{
	literal_close(l);
	out_printf(l->out, " PRI%c%s", letter, length);
}

unsigned int c_narrowed_to(const struct conversion *v)
{
	static const char *const eight[] = { "hh", "8", "LEAST8", "FAST8", NULL };
	static const char *const sixteen[] = { "h", "16", "LEAST16", NULL };

	if (words_have(eight, v->length)) {
		return 8;
	}
	return words_have(sixteen, v->length) ? 16 : 0;
}

static bool is_integer_letter(char letter)
{
	return strchr("diuxXo", letter) != NULL;
}

/*
 * Writes the length modifier and letter of an integer. Types narrower than int are promoted to int.
 */
static void write_integer(struct literal *l, const struct conversion *v, const struct type *t)
{
	unsigned int narrow = c_narrowed_to(v);

	if (narrow) {
		literal_str(l, narrow == 8 ? "hh" : "h");
	} else if (t->class == TYPE_POINTER) {
		literal_macro(l, v->letter, "PTR");
		return;
	} else if (strcmp(t->length, "64") == 0 || strcmp(t->length, "PTR") == 0) {
		literal_macro(l, v->letter, t->length);
		return;
	} else if (t->size64 >= sizeof(int) && strcmp(t->length, "32") != 0) {
		literal_str(l, t->length);
	}
	literal_char(l, v->letter);
}

/* Writes a width or precision: `*`, a number, or nothing. */
static void write_size(struct literal *l, int arg, int number)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%d", number);
	if (arg != FORMAT_NO_ARG) {
		literal_char(l, '*');
	} else if (number >= 0) {
		literal_str(l, digits);
	}
}

static void write_conversion(struct literal *l, const struct conversion *v, const struct event *e)
{
	literal_char(l, '%');
	literal_str(l, v->flags);
	write_size(l, v->width_arg, v->width);
	if (v->precision_arg != FORMAT_NO_ARG || v->precision >= 0) {
		literal_char(l, '.');
		write_size(l, v->precision_arg, v->precision);
	}
	if (is_integer_letter(v->letter)) {
		write_integer(l, v, &e->args[v->arg].type);
	} else {
		literal_char(l, v->letter);
	}
}

/*
 * Returns the cast of an integer to the width that its conversion prints; "" if it has that width.
 */
static const char *integer_cast(const struct conversion *v, const struct type *t)
{
	bool is_signed = v->letter == 'd' || v->letter == 'i';
	unsigned int narrow = c_narrowed_to(v);

	if (!narrow || t->size64 * 8u == narrow) {
		return "";
	}
	if (narrow == 8) {
		return is_signed ? "(signed char)" : "(unsigned char)";
	}
	return is_signed ? "(short)" : "(unsigned short)";
}

static void write_value(struct out *o, const struct conversion *v, const struct arg *a)
{
	static const char *const void_pointers[] = { "void *", "const void *", NULL };
	const char *cast = "";

	/* glibc and musl print NULL as (null), except with a short precision. */
	if (v->letter == 's' && (v->precision >= 0 || v->precision_arg != FORMAT_NO_ARG)) {
		OUT(o, ", waymark_text(${name})", { "name", a->c_name });
		return;
	}
	if (a->type.class == TYPE_FLOAT && a->type.size64 < sizeof(double)) {
		cast = "(double)";
	} else if (v->letter == 'p' && (a->is_cpu || !words_have(void_pointers, a->type.c_text))) {
		cast = "(const void *)";
	} else if (v->letter == 'c' && a->type.size64 > sizeof(int)) {
		cast = "(int)";
	} else if (is_integer_letter(v->letter) && a->type.class == TYPE_POINTER) {
		cast = "(uintptr_t)";
	} else if (is_integer_letter(v->letter)) {
		cast = integer_cast(v, &a->type);
	}
	OUT(o, ", ${cast}${name}", { "cast", cast }, { "name", a->c_name });
}

static void write_star(struct emit_context *c, struct out *o, const struct event *e, int arg)
{
	if (arg != FORMAT_NO_ARG) {
		OUT(o, ", ${int}", { "int", c_int(c, &e->args[arg]) });
	}
}

const char *c_printf(struct emit_context *c, const struct event *e)
{
	const struct format *f = c_format(c, e);
	struct out *o = c_begin(c);
	struct literal l = { .out = o };

	if (f->count == 0) {
		return "\"%s\", \"\""; /* compilers warn of an empty format */
	}
	literal_char(&l, ' ');
	for (size_t i = 0; i < f->count; i++) {
		const struct segment *s = &f->segments[i];

		for (size_t j = 0; j < s->len; j++) {
			literal_str(&l, s->text[j] == '%' ? "%%" : (char[]){ s->text[j], '\0' });
		}
		if (s->has_conversion) {
			write_conversion(&l, &s->conversion, e);
		}
	}
	literal_close(&l);
	for (size_t i = 0; i < f->count; i++) {
		const struct conversion *v = &f->segments[i].conversion;

		if (f->segments[i].has_conversion) {
			write_star(c, o, e, v->width_arg);
			write_star(c, o, e, v->precision_arg);
			write_value(o, v, &e->args[v->arg]);
		}
	}
	return c_end(c);
}

/* True if the conversion prints its argument as it is recorded: in the same bits. */
static bool is_as_recorded(const struct conversion *v, const struct arg *a)
{
	if (v->width_arg != FORMAT_NO_ARG || v->precision_arg != FORMAT_NO_ARG) {
		return false;
	}
	if (v->letter == 's') {
		return v->precision < 0;
	}
	if (v->letter == 'c' && a->type.size64 > sizeof(int)) {
		return false;
	}
	return !is_integer_letter(v->letter) || !*integer_cast(v, &a->type);
}

bool c_prints_as_recorded(struct emit_context *c, const struct event *e)
{
	const struct format *f = c_format(c, e);
	size_t arg = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct conversion *v = &f->segments[i].conversion;

		if (!f->segments[i].has_conversion) {
			continue;
		}
		if (arg >= e->arg_count || v->arg != (int)arg ||
			!is_as_recorded(v, &e->args[arg])) {
			return false;
		}
		arg++;
	}
	return arg == e->arg_count;
}
