/* SPDX-License-Identifier: MIT */
/*
 * Checks formats against arguments: printf's, and messages with braces. The front ends call it for
 * each event; mend.c makes the texts of proposals.
 */
#include "model/check.h"

#include <string.h>

#include "model/mend.h"

/* Size in bytes to which printf's arguments are promoted. */
#define INT_SIZE 4

static const struct {
	const char *length;
	uint8_t size32;
	uint8_t size64;
} length_sizes[] = {
	{ "", 4, 4 },
	{ "hh", 1, 1 },
	{ "h", 2, 2 },
	{ "l", 4, 8 },
	{ "ll", 8, 8 },
	{ "j", 8, 8 },
	{ "z", 4, 8 },
	{ "t", 4, 8 },
	{ "8", 1, 1 },
	{ "16", 2, 2 },
	{ "32", 4, 4 },
	{ "64", 8, 8 },
	{ "PTR", 4, 8 },
	{ "MAX", 8, 8 },
	{ "LEAST8", 1, 1 },
	{ "LEAST16", 2, 2 },
	{ "LEAST32", 4, 4 },
	{ "LEAST64", 8, 8 },
	{ "FAST8", 1, 1 },
	{ "FAST16", 4, 8 },
	{ "FAST32", 4, 8 },
	{ "FAST64", 8, 8 },
};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* Reports at `at` that the numbers of arguments and of conversions or placeholders differ. */
static void report_count(
	const struct event *e, struct location at, const char *help, struct diag *d)
{
	static const char *const words[][2] = {
		[FORMAT_PRINTF] = { "format", "conversion" },
		[FORMAT_BRACES] = { "message", "placeholder" },
	};
	const struct format *f = &e->format;

	diag_error(d, at, help, "%zu argument%s, but the %s has %zu %s%s", e->arg_count,
		plural(e->arg_count), words[f->style][0], f->args, words[f->style][1],
		plural(f->args));
}

/* Finds the extra conversion: a bare percent sign, or the first one without an argument. */
static struct location find_extra(const struct format *f, size_t arg_count)
{
	const struct conversion *extra = NULL;

	for (size_t i = 0; i < f->count; i++) {
		const struct conversion *c = &f->segments[i].conversion;

		if (f->segments[i].has_conversion && mend_is_percent(c->at)) {
			return c->at;
		}
		if (f->segments[i].has_conversion && !extra && (size_t)c->arg >= arg_count) {
			extra = c;
		}
	}
	return extra ? extra->at : f->at;
}

/* Names the format of a `tcg` event, which has two. */
static const char *which_format(const struct event *e)
{
	if (e->properties & EVENT_TCG_TRANS) {
		return " to the first format";
	}
	return e->properties & EVENT_TCG_EXEC ? " to the second format" : "";
}

static bool check_count(const struct event *e, struct arena *a, struct diag *d)
{
	const struct format *f = &e->format;
	const char *help = e->properties & EVENT_TCG_TRANS
				   ? "remove it: the guest's values exist only at execution"
				   : "remove the conversion, or declare an argument for it";
	struct location at = f->at;

	if (f->args == e->arg_count) {
		return true;
	}
	if (f->args < e->arg_count) {
		const struct arg *arg = &e->args[f->args];

		at = arg->at;
		help = arena_printf(a, "add a conversion for '%s'%s, for example %s", arg->name,
			which_format(e), mend_conversion(a, &arg->type, false));
	}
	if (f->args > e->arg_count) {
		at = find_extra(f, e->arg_count);
		help = mend_is_percent(at) ? MEND_PERCENT : help;
		help = mend_is_star(at) ? MEND_STAR : help;
	}
	report_count(e, at, help, d);
	return false;
}

static bool fits_class(const struct conversion *c, enum type_class class)
{
	if (format_is_float(c) || class == TYPE_FLOAT) {
		return format_is_float(c) && class == TYPE_FLOAT;
	}
	switch (c->letter) {
	case 's':
		return class == TYPE_STRING;
	case 'p':
		return class != TYPE_INTEGER;
	default:
		return class == TYPE_INTEGER;
	}
}

static bool check_class(
	const struct event *e, const struct conversion *c, struct arena *a, struct diag *d)
{
	const struct arg *arg = &e->args[c->arg];
	bool is_hex = c->letter == 'x' || c->letter == 'p';

	if (fits_class(c, arg->type.class)) {
		return true;
	}
	diag_error(d, c->at, mend_class(a, c, arg, is_hex), "'%s' cannot print '%s', which is '%s'",
		conversion_text(a, c), arg->name, arg->type.text);
	return false;
}

/* Checks that the argument of a `*` is an int. */
static bool check_star(const struct event *e, const struct conversion *c, int index,
	struct arena *a, struct diag *d)
{
	if (index == FORMAT_NO_ARG) {
		return true;
	}
	const struct arg *arg = &e->args[index];

	if (arg->type.class == TYPE_INTEGER && arg->type.size64 <= INT_SIZE) {
		return true;
	}
	diag_error(d, c->at, mend_star(a, e, index), "'*' takes an int, but '%s' is '%s'",
		arg->name, arg->type.text);
	return false;
}

/* Reports, once, a `%.*s` whose length follows the text or bytes instead of preceding them. */
static bool check_order(
	const struct event *e, const struct conversion *c, struct arena *a, struct diag *d)
{
	if (c->precision_arg == FORMAT_NO_ARG || c->letter != 's' ||
		e->args[c->arg].type.class != TYPE_INTEGER) {
		return true;
	}
	enum type_class text = e->args[c->precision_arg].type.class;

	if (text != TYPE_STRING && text != TYPE_POINTER) {
		return true;
	}
	diag_error(d, c->at, mend_order(a, e, c),
		"'%s' takes the length, an int, before the text, but '%s' follows '%s'",
		conversion_text(a, c), e->args[c->arg].name, e->args[c->precision_arg].name);
	return false;
}

static bool check_conversion(
	const struct event *e, const struct conversion *c, struct arena *a, struct diag *d)
{
	if (!check_order(e, c, a, d)) {
		return false;
	}
	bool ok = check_class(e, c, a, d);

	ok = check_star(e, c, c->width_arg, a, d) && ok;
	return check_star(e, c, c->precision_arg, a, d) && ok;
}

/* Returns the kind of value as which the renderer gets an argument. */
static enum waymark_debug_kind kind_of(const struct type *t)
{
	static const enum waymark_debug_kind kinds[] = {
		[TYPE_FLOAT] = WAYMARK_DEBUG_F64,
		[TYPE_POINTER] = WAYMARK_DEBUG_POINTER,
		[TYPE_STRING] = WAYMARK_DEBUG_STRING,
		[TYPE_TEXT] = WAYMARK_DEBUG_STRING,
		[TYPE_BYTES] = WAYMARK_DEBUG_BYTES,
		[TYPE_DEBUG] = WAYMARK_DEBUG_OBJECT,
	};

	if (t->class != TYPE_INTEGER) {
		return kinds[t->class];
	}
	if (t->is_bool) {
		return WAYMARK_DEBUG_BOOL;
	}
	return t->is_signed ? WAYMARK_DEBUG_I64 : WAYMARK_DEBUG_U64;
}

/* Returns the placeholder that prints an argument without options. */
static const char *plain(const struct type *t)
{
	return brace_accepts(kind_of(t), BRACE_DISPLAY) ? "{}" : "{:?}";
}

static bool check_placeholder_count(const struct event *e, struct arena *a, struct diag *d)
{
	const struct format *f = &e->format;
	const char *help = "remove the placeholder, or declare an argument for it; {{ is a brace";
	struct location at = f->at;

	if (f->args == e->arg_count) {
		return true;
	}
	if (f->args < e->arg_count) {
		const struct arg *arg = &e->args[f->args];

		at = arg->at;
		help = arena_printf(a, "add a placeholder for '%s', for example %s", arg->name,
			plain(&arg->type));
	} else {
		at = format_conversion_of(f, e->arg_count)->at;
	}
	report_count(e, at, help, d);
	return false;
}

/* Returns a placeholder as written in the file, up to its brace. */
static struct span written(const struct conversion *c)
{
	struct span rest = { c->at.source->text + c->at.offset, c->at.source->len - c->at.offset };
	const char *end = memchr(rest.text, '}', rest.len);

	return (struct span){ rest.text, end ? (size_t)(end - rest.text) + 1 : rest.len };
}

static bool check_type(
	const struct event *e, const struct conversion *c, struct arena *a, struct diag *d)
{
	const struct arg *arg = &e->args[c->arg];

	if (brace_accepts(kind_of(&arg->type), c->spec->type)) {
		return true;
	}
	diag_error(d, c->at, arena_printf(a, "print '%s' with %s", arg->name, plain(&arg->type)),
		"'%.*s' cannot print '%s', which is '%s'", SPAN_ARGS(written(c)), arg->name,
		arg->type.text);
	return false;
}

/* Returns the prefix that `#` adds to a number. */
static const char *prefix_of(enum brace_type type)
{
	static const char *const prefixes[BRACE_TYPES] = {
		[BRACE_LOWER_HEX] = "0x",
		[BRACE_UPPER_HEX] = "0x",
		[BRACE_DEBUG_LOWER] = "0x",
		[BRACE_DEBUG_UPPER] = "0x",
		[BRACE_OCTAL] = "0o",
		[BRACE_BINARY] = "0b",
	};

	return prefixes[type];
}

static void warn_of_prefix(const struct segment *s, struct diag *d)
{
	const struct conversion *c = &s->conversion;
	const char *prefix = prefix_of(c->spec->type);

	if (prefix && c->spec->alternate && s->len >= 2 &&
		memcmp(s->text + s->len - 2, prefix, 2) == 0) {
		diag_warning(d, c->at, "remove the prefix, or the '#'",
			"'%.*s' prints %s, which precedes it: it is printed twice",
			SPAN_ARGS(written(c)), prefix);
	}
}

/*
 * Checks a message with braces: each argument needs a placeholder that Rust accepts for its type.
 * `0x{:#x}` is a warning.
 */
static bool check_braces(const struct event *e, struct arena *a, struct diag *d)
{
	bool ok = true;

	if (!check_placeholder_count(e, a, d)) {
		return false;
	}
	for (size_t i = 0; i < e->format.count; i++) {
		const struct segment *s = &e->format.segments[i];

		if (s->has_conversion) {
			warn_of_prefix(s, d);
			ok = check_type(e, &s->conversion, a, d) && ok;
		}
	}
	return ok;
}

bool check_format(const struct event *e, struct arena *a, struct diag *d)
{
	const struct format *f = &e->format;

	if (!f->source) {
		return true;
	}
	if (f->style == FORMAT_BRACES) {
		return check_braces(e, a, d);
	}
	if (!check_count(e, a, d)) {
		return false;
	}
	bool ok = true;

	for (size_t i = 0; i < f->count; i++) {
		const struct conversion *c = &f->segments[i].conversion;

		if (f->segments[i].has_conversion) {
			ok = check_conversion(e, c, a, d) && ok;
		}
	}
	return ok;
}

static uint8_t promoted(uint8_t size)
{
	return size < INT_SIZE ? INT_SIZE : size;
}

static bool check_length(
	const struct arg *arg, const struct conversion *c, struct arena *a, struct diag *d)
{
	size_t i = 0;

	while (strcmp(length_sizes[i].length, c->length) != 0) {
		i++;
	}
	uint8_t size32 = length_sizes[i].size32;
	uint8_t size64 = length_sizes[i].size64;
	bool ok32 = promoted(size32) == promoted(arg->type.size32);
	bool ok64 = promoted(size64) == promoted(arg->type.size64);
	bool is_cut = size64 < INT_SIZE && size64 < arg->type.size64;

	if (ok32 && ok64 && !is_cut) {
		return true;
	}
	const char *mended = c->letter == 'c' ? mend_conversion(a, &arg->type, false)
					      : mend_length(a, c, &arg->type);
	const char *help = arena_printf(a, "write %s", mended);
	const char *text = conversion_text(a, c);

	if (!ok32 && !ok64) {
		diag_error(d, c->at, help, "'%s' does not fit '%s', which is '%s'", text, arg->name,
			arg->type.text);
		return false;
	}
	if (is_cut) {
		diag_warning(d, c->at, help, "'%s' is narrower than '%s', which is '%s'", text,
			arg->name, arg->type.text);
		return true;
	}
	diag_warning(d, c->at, help, "'%s' does not fit '%s', which is '%s', on %d-bit hosts", text,
		arg->name, arg->type.text, ok32 ? 64 : 32);
	return true;
}

bool check_lengths(const struct event *e, struct arena *a, struct diag *d)
{
	bool ok = true;

	if (e->format.style == FORMAT_BRACES) {
		return true;
	}
	for (size_t i = 0; i < e->format.count; i++) {
		const struct conversion *c = &e->format.segments[i].conversion;

		if (e->format.segments[i].has_conversion &&
			!strchr("sp" FORMAT_FLOATS, c->letter)) {
			ok = check_length(&e->args[c->arg], c, a, d) && ok;
		}
	}
	return ok;
}
