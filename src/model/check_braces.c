/* SPDX-License-Identifier: MIT */
/* Messages with braces against arguments, see model/check.h. */
#include <string.h>

#include "base/compiler.h"
#include "model/check.h"

/* As what kind of value the renderer gets an argument. */
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

/* The placeholder that prints an argument plainly. */
static const char *plain(const struct type *t)
{
	return brace_accepts(kind_of(t), BRACE_DISPLAY) ? "{}" : "{:?}";
}

static const struct conversion *conversion_of(const struct format *f, size_t arg)
{
	for (size_t i = 0; i < f->count; i++) {
		if (f->segments[i].has_conversion && (size_t)f->segments[i].conversion.arg == arg) {
			return &f->segments[i].conversion;
		}
	}
	return NULL;
}

static bool check_count(const struct event *e, struct arena *a, struct diag *d)
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
		at = conversion_of(f, e->arg_count)->at;
	}
	check_report_count(e, at, help, d);
	return false;
}

/* A placeholder as it is written in the file, up to its brace. */
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

/* What `#` puts before a number. */
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

/* `0x{:#x}`. */
static void warn_of_prefix(const struct segment *s, struct diag *d)
{
	const struct conversion *c = &s->conversion;
	const char *prefix = prefix_of(c->spec->type);

	if (prefix && c->spec->alternate && s->len >= 2 &&
		memcmp(s->text + s->len - 2, prefix, 2) == 0) {
		diag_warning(d, c->at, "remove what stands before it, or the '#'",
			"'%.*s' prints %s, which stands before it: it is printed twice",
			SPAN_ARGS(written(c)), prefix);
	}
}

bool check_braces(const struct event *e, struct arena *a, struct diag *d)
{
	bool ok = true;

	if (!check_count(e, a, d)) {
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
