/* SPDX-License-Identifier: MIT */
/*
 * The format of an event that is declared without one: each argument with its
 * name, as the readers print it, so that no argument is lost in a text. And that of a
 * message with braces, for what knows printf only; scopes have their ids behind it.
 */
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

/* `name=%d`, `name=0x%x`, with a blank before it where it is not the first. */
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
			.width = -1,
			.precision = -1,
			.width_arg = FORMAT_NO_ARG,
			.precision_arg = FORMAT_NO_ARG,
			.arg = (int)index,
			.length = "",
			.letter = letter,
		},
	};
}

/* The message, and behind it which scope begins: its end says the same. */
static const struct format *of_scope(struct emit_context *c, const struct event *e)
{
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

const struct format *c_format(struct emit_context *c, const struct event *e)
{
	if (e->properties & EVENT_SCOPE) {
		return of_scope(c, e);
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
