/* SPDX-License-Identifier: MIT */
/* Reads the statements of model/meaning.h: a table of them, and a function for each kind. */
#include "model/meaning.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "text/nearest.h"

/* One statement that is being read. */
struct statement {
	struct event *e;
	struct arena *arena;
	struct diag *diag;
	const struct placed *text;
	struct source source; /* the text, for the scanner */
	struct scan s;
	const char *keyword; /* "@enum" */
};

/* Reports an error at `pos`. Returns false. */
static PRINTF(4, 5) bool fail(
	struct statement *m, size_t pos, const char *help, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_vreport(m->diag, SEVERITY_ERROR, placed_location(m->text, pos), help, fmt, ap);
	va_end(ap);
	return false;
}

/* Reports a second statement of a kind. Returns false. */
static bool fail_twice(struct statement *m, const char *what, const char *owner)
{
	return fail(m, m->s.pos, "keep one of them", "'%s' has %s already", owner, what);
}

/* Reads a run of characters of a name, which may have `-` and `.`. */
static struct span take_name(struct statement *m)
{
	scan_skip_blanks(&m->s);
	size_t from = m->s.pos;

	while (is_word(scan_peek(&m->s)) || scan_peek(&m->s) == '-' || scan_peek(&m->s) == '.') {
		m->s.pos++;
	}
	return scan_since(&m->s, from);
}

static const char *nearest_arg(const struct statement *m, struct span name)
{
	struct nearest near = nearest_begin(name.text, name.len);

	for (size_t i = 0; i < m->e->arg_count; i++) {
		nearest_offer(&near, m->e->args[i].name);
	}
	return nearest_is_near(&near) ? arena_printf(m->arena, "did you mean '%s'?", near.name)
				      : "name an argument of the event";
}

/* Takes the name of an argument; NULL, reported, if there is none. */
static struct arg *take_arg(struct statement *m)
{
	struct span name = take_name(m);
	size_t pos = m->s.pos - name.len;
	int i = event_find_arg(m->e, name.text, name.len);

	if (i >= 0) {
		return &m->e->args[i];
	}
	if (name.len == 0) {
		fail(m, pos, arena_printf(m->arena, "write: %s argument ...", m->keyword),
			"the name of an argument is missing");
	} else {
		fail(m, pos, nearest_arg(m, name), "the event has no argument '%.*s'",
			SPAN_ARGS(name));
	}
	return NULL;
}

static struct arg *take_integer(struct statement *m)
{
	scan_skip_blanks(&m->s);
	size_t pos = m->s.pos;
	struct arg *arg = take_arg(m);

	if (arg && (arg->type.class != TYPE_INTEGER || type_is_pair(&arg->type))) {
		fail(m, pos, "name an integer of at most 64 bits", "'%s' is of type '%s'",
			arg->name, arg->type.text);
		return NULL;
	}
	return arg;
}

/* True if the type has the value. */
static bool has_value(const struct type *t, const struct value_name *v)
{
	unsigned int bits = 8u * t->size64;
	uint64_t magnitude = v->is_negative ? 0 - v->value - 1 : v->value;

	if (t->is_bool) {
		return !v->is_negative && v->value <= 1;
	}
	if (t->is_char) { /* its sign depends on the host */
		return !v->is_negative && magnitude >> 7 == 0;
	}
	if (v->is_negative && !t->is_signed) {
		return false;
	}
	return magnitude >> (bits - t->is_signed - 1) >> 1 == 0;
}

/* Takes a number that the argument can have: decimal, octal or hexadecimal, with a `-`. */
static bool take_number(struct statement *m, const struct arg *arg, struct value_name *v)
{
	char digits[32];
	struct span text = take_name(m);
	size_t pos = m->s.pos - text.len;
	size_t length = text.len < sizeof(digits) ? text.len : sizeof(digits) - 1;
	char *end;

	memcpy(digits, text.text, length);
	digits[length] = '\0';
	errno = 0;
	v->is_negative = *digits == '-';
	v->value = v->is_negative ? (uint64_t)strtoll(digits, &end, 0) : strtoull(digits, &end, 0);
	if (text.len == 0 || *end || errno || text.len != length) {
		return fail(m, pos, "write: 0=read 1=write", "expected a value");
	}
	v->is_negative = v->is_negative && v->value;
	return has_value(&arg->type, v) ||
	       fail(m, pos, "give a value of its type", "'%s', which is '%s', is never %s",
		       arg->name, arg->type.text, digits);
}

typedef VEC(struct value_name) names_vec;

static bool is_value_name(struct span name)
{
	for (size_t i = 0; i < name.len; i++) {
		if ((unsigned char)name.text[i] >= 0x80) {
			return false;
		}
	}
	return name.len > 0 && !is_digit((unsigned char)*name.text);
}

/* True if expressions do not have the name for something else. */
static bool is_free(const struct statement *m, struct span name)
{
	return event_find_arg(m->e, name.text, name.len) < 0 && !span_equals(name, "true") &&
	       !span_equals(name, "false") && !span_equals(name, "null");
}

/* Takes `0=read`. */
static bool take_value(
	struct statement *m, const struct arg *arg, const names_vec *before, struct value_name *v)
{
	size_t pos = m->s.pos;

	if (!take_number(m, arg, v)) {
		return false;
	}
	if (!scan_accept(&m->s, '=')) {
		return fail(m, m->s.pos, "write: 0=read 1=write", "expected '=' after the value");
	}
	struct span name = scan_word(&m->s);

	if (!is_value_name(name)) {
		return fail(m, m->s.pos - name.len, "use the letters a to z, digits and '_'",
			"expected the name of the value");
	}
	v->name = arena_strndup(m->arena, name.text, name.len);
	if (!is_free(m, name)) {
		return fail(m, m->s.pos - name.len, "choose another name",
			"'%s' means something else in expressions", v->name);
	}
	vec_foreach (const struct value_name *, other, before) {
		if ((other->value == v->value && other->is_negative == v->is_negative) ||
			strcmp(other->name, v->name) == 0) {
			return fail(m, pos, "keep one of them",
				strcmp(other->name, v->name)
					? "two names for one value: '%s' and '%s'"
					: "'%s' is the name of two values",
				other->name, v->name);
		}
	}
	return true;
}

static bool read_names(struct statement *m, bool is_flags)
{
	struct arg *arg = take_integer(m);
	names_vec names = { 0 };
	struct value_name v;
	bool good = arg && (!arg->names || fail_twice(m, "the names of its values", arg->name));

	scan_skip_blanks(&m->s);
	while (good && scan_peek(&m->s) != SCAN_END) {
		good = take_value(m, arg, &names, &v);
		if (good) {
			vec_push(&names, v);
		}
		scan_skip_blanks(&m->s);
	}
	if (good && names.count == 0) {
		good = fail(m, m->s.pos, "write: 0=read 1=write", "the values are missing");
	}
	if (good) {
		struct value_name *kept = arena_array(m->arena, struct value_name, names.count + 1);

		memcpy(kept, names.items, names.count * sizeof(*kept));
		arg->names = kept;
		arg->is_flags = is_flags;
	}
	vec_fini(&names);
	return good;
}

static bool read_enum(struct statement *m)
{
	return read_names(m, false);
}

static bool read_flags(struct statement *m)
{
	return read_names(m, true);
}

static bool read_unit(struct statement *m)
{
	struct arg *arg = take_integer(m);
	struct span unit = arg ? take_name(m) : (struct span){ 0 };

	if (arg && unit.len == 0) {
		return fail(m, m->s.pos, "write: @unit bytes B", "the unit is missing");
	}
	if (arg && arg->unit) {
		return fail_twice(m, "a unit", arg->name);
	}
	if (arg) {
		arg->unit = arena_strndup(m->arena, unit.text, unit.len);
	}
	return arg;
}

static bool read_key(struct statement *m)
{
	struct arg *arg = take_arg(m);

	for (size_t i = 0; arg && i < m->e->arg_count; i++) {
		if (m->e->args[i].is_key) {
			return fail_twice(m, "a key", m->e->name);
		}
	}
	if (arg) {
		arg->is_key = true;
	}
	return arg;
}

static bool read_life(struct statement *m, enum life_part part)
{
	struct span name = take_name(m);

	if (name.len == 0) {
		return fail(m, m->s.pos, arena_printf(m->arena, "write: %s io", m->keyword),
			"the name of the life is missing");
	}
	if (m->e->life) {
		return fail_twice(m, "a life", m->e->name);
	}
	m->e->life_part = part;
	m->e->life = arena_strndup(m->arena, name.text, name.len);
	return true;
}

static bool read_begin(struct statement *m)
{
	return read_life(m, LIFE_BEGIN);
}

static bool read_step(struct statement *m)
{
	return read_life(m, LIFE_STEP);
}

static bool read_end(struct statement *m)
{
	return read_life(m, LIFE_END);
}

static bool read_hot(struct statement *m)
{
	m->e->is_hot = true;
	return true;
}

static bool read_secret(struct statement *m)
{
	struct arg *arg = take_arg(m);

	if (arg) {
		arg->is_secret = true;
	}
	return arg;
}

static const char *const keywords[] = { "enum", "flags", "unit", "key", "begin", "step", "end",
	"hot", "secret" };
static bool (*const readers[])(struct statement *m) = { read_enum, read_flags, read_unit, read_key,
	read_begin, read_step, read_end, read_hot, read_secret };

/* True if the next word is an argument of the event. */
static bool is_arg_next(const struct statement *m)
{
	struct statement ahead = *m;
	struct span name = take_name(&ahead);

	return event_find_arg(m->e, name.text, name.len) >= 0;
}

/*
 * Returns the index of the statement's word; -1 if it is none. That is reported, unless it may be a
 * word of a comment: `@see docs`.
 */
static int find_keyword(struct statement *m, struct span word, bool is_comment)
{
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		if (span_equals(word, keywords[i])) {
			return (int)i;
		}
	}
	const char *near = nearest_name(word, keywords, ARRAY_SIZE(keywords));

	if (!is_comment || (near && is_arg_next(m))) {
		fail(m, m->s.pos - word.len,
			near ? arena_printf(m->arena, "did you mean '@%s'?", near)
			     : "there are @enum, @flags, @unit, @key, @begin, @step, @end, @hot and @secret",
			"unknown statement '@%.*s'", SPAN_ARGS(word));
	}
	return -1;
}

/* Reads one statement; returns whether it is good. */
static bool read_statement(struct statement *m, bool is_comment)
{
	scan_skip_blanks(&m->s);
	if (!scan_accept(&m->s, '@')) {
		return is_comment || scan_peek(&m->s) == SCAN_END
			       ? false
			       : fail(m, m->s.pos, "write: @enum op 0=read 1=write",
					 "a statement begins with '@'");
	}
	struct span word = scan_word(&m->s);

	if (is_comment && scan_peek(&m->s) == ':') {
		return false; /* "@num: a number" documents an argument */
	}
	int i = find_keyword(m, word, is_comment);

	if (i < 0) {
		return false;
	}
	m->keyword = arena_printf(m->arena, "@%s", keywords[i]);
	if (!readers[i](m)) {
		return false;
	}
	scan_skip_blanks(&m->s);
	return scan_peek(&m->s) == SCAN_END ||
	       fail(m, m->s.pos, "write each statement on a line of its own",
		       "unexpected text after the statement");
}

/* Adds a statement to those of the event, with one blank between its words. */
static void keep(struct event *e, struct arena *a, struct span text)
{
	char *words = arena_alloc(a, text.len + 1);
	char *out = words;

	text = span_trim(text);
	for (size_t i = 0; i < text.len; i++) {
		bool blank = is_blank((unsigned char)text.text[i]);

		if (!blank || out[-1] != ' ') {
			*out++ = blank ? ' ' : text.text[i];
		}
	}
	*out = '\0';
	e->meaning = arena_printf(a, "%s%s\n", e->meaning ? e->meaning : "", words);
}

void meaning_read(struct event *e, struct arena *a, struct diag *d, const struct placed *text,
	bool is_comment)
{
	size_t pos = 0;

	while (pos < text->span.len) {
		struct span rest = { text->span.text + pos, text->span.len - pos };
		size_t len = 0;

		while (len < rest.len && !strchr(is_comment ? "\r\n" : ";\r\n", rest.text[len])) {
			len++;
		}
		struct statement m = { .e = e, .arena = a, .diag = d, .text = text };

		m.source = (struct source){ "", text->span.text, text->span.len };
		m.s = (struct scan){ &m.source, pos, pos + len };
		if (read_statement(&m, is_comment)) {
			keep(e, a, (struct span){ rest.text, len });
		}
		pos += len + 1;
	}
}
