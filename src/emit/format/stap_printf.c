/* SPDX-License-Identifier: MIT */
/*
 * Makes the names of arguments for SystemTap, and an event's format, whose printf differs from C's.
 * It has no length modifiers, as each number has 64 bits: values are cut here to what C would
 * print. It accepts one flag only, prints the prefix of `#` before a zero, too, and accepts neither
 * a precision of 0, a negative one, nor a negative width. Conversions with these are composed here
 * as a text.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/words.h"
#include "emit/c_code.h"
#include "emit/format/stap.h"

static const char *const taken[] = {
#define STAP_WORD(word) #word,
#include "emit/format/stap_words.def"
#undef STAP_WORD
	NULL,
};

const char *stap_name(struct emit_context *c, const struct event *e, size_t arg)
{
	const char *name = e->args[arg].name;

	return words_have(taken, name) ? c_renamed(c, e, name) : name;
}

static bool is_taken(struct emit_context *c, const struct event *e, const char *name)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		if (strcmp(stap_name(c, e, i), name) == 0) {
			return true;
		}
	}
	return false;
}

const char *stap_length_name(struct emit_context *c, const struct event *e, size_t arg)
{
	const char *name = arena_printf(&c->texts, "%s_length", stap_name(c, e, arg));

	while (is_taken(c, e, name)) {
		name = arena_printf(&c->texts, "%s_", name);
	}
	return name;
}

/* The event whose format is written. */
struct text {
	struct emit_context *c;
	const struct event *e;
};

/*
 * Writes a character of the format's own text. Control characters become escapes, as in the log
 * backend.
 */
static void write_char(struct out *o, char ch)
{
	char escape[ESCAPE_MAX];
	size_t n = 1;

	if (ch == '%') {
		out_char(o, '%');
	}
	if (escape_needed((unsigned char)ch)) {
		n = escape_byte(escape, (unsigned char)ch);
	} else {
		escape[0] = ch;
	}
	for (size_t i = 0; i < n; i++) {
		c_literal_char(o, escape[i], ' ');
	}
}

/* Returns `((name << 32) >> 32)`: the low bits of a value, as a signed or unsigned number. */
static const char *cut(const struct text *t, int arg, unsigned int bits, bool is_signed)
{
	const struct type *type = &t->e->args[arg].type;
	const char *name = stap_name(t->c, t->e, (size_t)arg);
	unsigned int has = type->class == TYPE_INTEGER ? type->size64 * CHAR_BIT : 64;

	if (bits >= 64 || (has <= bits && type->is_signed == is_signed) ||
		(has < bits && !type->is_signed)) {
		return name;
	}
	if (is_signed) {
		return arena_printf(&t->c->texts, "((%s << %u) >> %u)", name, 64 - bits, 64 - bits);
	}
	return arena_printf(&t->c->texts, "(%s & 0x%x)", name, UINT32_MAX >> (32 - bits));
}

/* Returns a number as its conversion prints it. Types narrower than int are promoted to int. */
static const char *number(const struct text *t, const struct conversion *v)
{
	const struct type *type = &t->e->args[v->arg].type;
	unsigned int bits = c_narrowed_to(v);

	if (bits == 0) {
		bits = type->class == TYPE_INTEGER && type->size64 <= sizeof(int32_t) ? 32 : 64;
	}
	return cut(t, v->arg, bits, v->letter == 'd' || v->letter == 'i');
}

/* The largest size of a string that SystemTap accepts. */
#define ALL "8192"

/* Returns a precision that is an argument; `none` replaces a negative one. */
static const char *precision_of(const struct text *t, const struct conversion *v, const char *none)
{
	const char *p = cut(t, v->precision_arg, 32, true);

	return arena_printf(&t->c->texts, "(%s < 0 ? %s : %s)", p, none, p);
}

const char *stap_most(struct emit_context *c, const struct event *e, size_t arg)
{
	const struct text t = { c, e };
	const struct conversion *v = format_conversion_of(&e->format, arg);

	if (!c_precision(c, e, arg)) {
		return NULL;
	}
	return v->precision_arg == FORMAT_NO_ARG ? c_number(c, (size_t)v->precision)
						 : precision_of(&t, v, ALL);
}

static const char *text_value(const struct text *t, const struct conversion *v)
{
	size_t arg = (size_t)v->arg;
	const char *name = stap_name(t->c, t->e, arg);
	const char *most = type_is_counted(&t->e->args[arg].type)
				   ? stap_length_name(t->c, t->e, arg)
				   : stap_most(t->c, t->e, arg);

	return most ? arena_printf(&t->c->texts, "@waymark_counted(%s, %s)", name, most)
		    : arena_printf(&t->c->texts, "@waymark_text(%s)", name);
}

static const char *value(const struct text *t, const struct conversion *v)
{
	const char *name = stap_name(t->c, t->e, (size_t)v->arg);

	switch (v->letter) {
	case 's':
		return text_value(t, v);
	case 'p':
		return arena_printf(&t->c->texts, "@waymark_pointer(%s)", name);
	case 'c':
		return arena_printf(&t->c->texts, "(%s & 0xff)", name);
	default:
		return number(t, v);
	}
}

/*
 * Returns `, width, precision` for those that are arguments, each an int in C. The width is reduced
 * by `less`.
 */
static const char *stars(const struct text *t, const struct conversion *v, size_t less)
{
	const char *width = "";
	const char *precision = "";

	if (v->width_arg != FORMAT_NO_ARG) {
		const char *w = cut(t, v->width_arg, 32, true);

		width = arena_printf(&t->c->texts,
			strchr(v->flags, '-') ? ", (%s < 0 ? -%s : %s)" : ", %s", w, w, w);
		width = less ? arena_printf(&t->c->texts, "%s - %zu", width, less) : width;
	}
	if (v->precision_arg != FORMAT_NO_ARG) {
		/* Without a precision: all of a text, one digit of a number. */
		precision = arena_printf(
			&t->c->texts, ", %s", precision_of(t, v, v->letter == 's' ? ALL : "1"));
	}
	return arena_printf(&t->c->texts, "%s%s", width, precision);
}

/* Returns a width or precision: `*`, a number, or nothing. */
static const char *size(const struct text *t, const char *dot, int arg, int number)
{
	if (arg != FORMAT_NO_ARG) {
		return arena_printf(&t->c->texts, "%s*", dot);
	}
	return number >= 0 ? arena_printf(&t->c->texts, "%s%d", dot, number) : "";
}

/* Returns `%010x`. A pointer is already a text. */
static const char *conversion(const struct text *t, const struct conversion *v)
{
	return arena_printf(&t->c->texts, "%%%s%s%s%c", v->flags,
		size(t, "", v->width_arg, v->width), size(t, ".", v->precision_arg, v->precision),
		v->letter == 'p' ? 's' : v->letter);
}

/* Returns `sprintf("0x%08x", a)`. The characters of `front` count in the width. */
static const char *print(const struct text *t, const struct conversion *v, char flag,
	const char *front, const char *what)
{
	struct conversion one = *v;
	int width = v->width - (int)strlen(front);

	one.width = width > 0 ? width : -1;
	one.flags[0] = flag == '0' && one.width < 0 && v->width_arg == FORMAT_NO_ARG ? '\0' : flag;
	one.flags[1] = '\0';
	return arena_printf(&t->c->texts, "sprintf(\"%s%s\"%s, %s)", front, conversion(t, &one),
		stars(t, &one, strlen(front)), what);
}

static bool has_flag(const struct conversion *v, char flag)
{
	return strchr(v->flags, flag) != NULL;
}

/* Returns `(a ? sprintf("%#x", a) : sprintf("%x", 0))`. */
static const char *alternate(const struct text *t, const struct conversion *v, const char *what)
{
	const char front[] = { '0', v->letter == 'o' ? '\0' : v->letter, '\0' };
	bool zeros = has_flag(v, '0');

	return arena_printf(&t->c->texts, "(%s ? %s : %s)", what,
		zeros ? print(t, v, '0', front, what) : print(t, v, '#', "", what),
		print(t, v, zeros ? '0' : '\0', "", "0"));
}

/* Returns a number with `+` or a blank before it, or its own `-` if it is negative. */
static const char *with_sign(const struct text *t, const struct conversion *v, const char *what)
{
	const char sign[] = { has_flag(v, '+') ? '+' : ' ', '\0' };

	if (!has_flag(v, '0')) {
		return print(t, v, *sign, "", what);
	}
	return arena_printf(&t->c->texts, "(%s < 0 ? %s : %s)", what, print(t, v, '0', "", what),
		print(t, v, '0', sign, what));
}

/* Returns a number as a text; without its width if that pads on the right. */
static const char *number_text(const struct text *t, const struct conversion *v)
{
	const char *what = number(t, v);
	struct conversion inner = *v;
	struct conversion empty = {
		.letter = 's', .precision = -1, .precision_arg = FORMAT_NO_ARG
	};
	const char *text;

	if (has_flag(v, '-')) {
		inner.width = -1;
		inner.width_arg = FORMAT_NO_ARG;
	}
	if (has_flag(v, '#')) {
		text = alternate(t, &inner, what);
	} else if (has_flag(v, '+') || has_flag(v, ' ')) {
		text = with_sign(t, &inner, what);
	} else {
		text = print(t, &inner, has_flag(v, '0') ? '0' : '\0', "", what);
	}
	if (v->precision != 0) {
		return text;
	}
	empty.width = inner.width;
	empty.width_arg = inner.width_arg;
	return arena_printf(
		&t->c->texts, "(%s ? %s : %s)", what, text, print(t, &empty, '\0', "", "\"\""));
}

static bool is_number(const struct conversion *v)
{
	return strchr("diuxXo", v->letter) != NULL;
}

static bool has_width_of_any_sign(const struct conversion *v)
{
	return v->width_arg != FORMAT_NO_ARG && !has_flag(v, '-');
}

/* True for a conversion that SystemTap lacks. */
static bool is_odd(const struct conversion *v)
{
	return has_width_of_any_sign(v) ||
	       (is_number(v) && (has_flag(v, '#') || strlen(v->flags) > 1 || v->precision == 0));
}

/* Returns the output of an odd conversion, as a text. */
static const char *odd_text(const struct text *t, const struct conversion *v)
{
	return is_number(v) ? number_text(t, v) : print(t, v, '\0', "", value(t, v));
}

/* Returns that output for a width of any sign: a negative one pads on the right. */
static const char *odd_value(const struct text *t, const struct conversion *v)
{
	struct conversion bare = *v;

	if (!has_width_of_any_sign(v)) {
		return odd_text(t, v);
	}
	bare.width_arg = FORMAT_NO_ARG;
	bare.width = -1;
	const char *width = cut(t, v->width_arg, 32, true);

	return arena_printf(&t->c->texts, "(%s < 0 ? sprintf(\"%%-*s\", -%s, %s) : %s)", width,
		width, odd_text(t, &bare), odd_text(t, v));
}

/* Returns the conversion that prints the text of an odd conversion. */
static struct conversion padding(const struct conversion *v)
{
	struct conversion p = { .flags = "", .width = -1, .width_arg = FORMAT_NO_ARG };

	if (has_flag(v, '-')) {
		p.flags[0] = '-';
		p.width = v->width;
		p.width_arg = v->width_arg;
	}
	p.precision = -1;
	p.precision_arg = FORMAT_NO_ARG;
	p.letter = 's';
	return p;
}

/* True if SystemTap can show it: it has no floating point. */
static bool is_shown(const struct text *t, const struct segment *s)
{
	const struct conversion *v = &s->conversion;

	return s->has_conversion && v->letter != C_NO_LETTER &&
	       t->e->args[v->arg].type.class != TYPE_FLOAT;
}

static const char *segment(const struct text *t, const struct segment *s)
{
	const struct conversion pad = padding(&s->conversion);
	const char *last = "";

	if (s->has_conversion && !is_shown(t, s)) {
		last = "?";
	} else if (s->has_conversion) {
		last = conversion(t, is_odd(&s->conversion) ? &pad : &s->conversion);
	}
	struct out *o = c_begin(t->c);

	for (size_t i = 0; i < s->len; i++) {
		write_char(o, s->text[i]);
	}
	out_str(o, last);
	return c_end(t->c);
}

static const char *values(const struct text *t, const struct conversion *v)
{
	const struct conversion pad = padding(v);

	if (is_odd(v)) {
		return arena_printf(&t->c->texts, "%s, %s", stars(t, &pad, 0), odd_value(t, v));
	}
	return arena_printf(&t->c->texts, "%s, %s", stars(t, v, 0), value(t, v));
}

const char *stap_printf(struct emit_context *c, const struct event *e)
{
	const struct text t = { c, e };
	const struct format *f = c_format(c, e);
	const char *message = f->count ? " " : "";
	const char *all_values = "";

	for (size_t i = 0; i < f->count; i++) {
		const struct segment *s = &f->segments[i];

		message = arena_printf(&c->texts, "%s%s", message, segment(&t, s));
		if (is_shown(&t, s)) {
			all_values = arena_printf(
				&c->texts, "%s%s", all_values, values(&t, &s->conversion));
		}
	}
	return arena_printf(&c->texts, "\"%%d@%%d %s%s\\n\", pid(), gettimeofday_ns()%s", e->name,
		message, all_values);
}
