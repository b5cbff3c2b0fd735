/* SPDX-License-Identifier: MIT */
/*
 * What old declarations print that is no argument of theirs, or none that can be printed, as
 * text: `%m` is an argument that no call passes, and `%s` of a `uint8_t *` has one of type
 * `const char *`. What calls pass is kept beside the event.
 */
#include <string.h>

#include "base/compiler.h"
#include "decl/qemu.h"

#define TEXT_TYPE "const char *"

/* An argument's name that the event has not. */
static const char *unused_name(struct arena *a, const struct event *e, const char *name)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		if (strcmp(e->args[i].name, name) == 0) {
			return unused_name(a, e, arena_printf(a, "%s_", name));
		}
	}
	return name;
}

static void insert_error(struct arena *a, struct event *e, const struct conversion *c)
{
	size_t at = (size_t)c->arg;
	struct arg *args = arena_array(a, struct arg, e->arg_count + 1);

	for (size_t i = 0; i < e->arg_count; i++) {
		args[i + (i >= at)] = e->args[i];
	}
	args[at] = (struct arg){
		.name = unused_name(a, e, "error"), .source = ARG_FROM_ERRNO, .at = c->at
	};
	type_parse(&args[at].type, a, TEXT_TYPE, strlen(TEXT_TYPE));
	e->args = args;
	e->arg_count++;
}

static void make_text(struct front_end *fe, struct event *e, const struct conversion *c)
{
	struct arg *arg = &e->args[c->arg];

	diag_warning(fe->rules, c->at,
		arena_printf(&fe->model->arena, "declare '%s' as '" TEXT_TYPE "'", arg->name),
		"'%s' prints '%s', which is '%s', as text", conversion_text(&fe->model->arena, c),
		arg->name, arg->type.text);
	type_parse(&arg->type, &fe->model->arena, TEXT_TYPE, strlen(TEXT_TYPE));
	arg->source = ARG_FROM_BYTES;
}

/* Whether it is one of those two, and makes it an argument of text. */
static bool mend(struct front_end *fe, struct event *e, const struct conversion *c)
{
	bool has_cpu = e->properties & EVENT_VCPU; /* an argument that is added later */

	if (c->is_errno && (size_t)c->arg <= e->arg_count &&
		e->arg_count + has_cpu < EVENT_ARGS_LIMIT) {
		insert_error(&fe->model->arena, e, c);
		return true;
	}
	if (c->letter != 's' || c->is_errno || (size_t)c->arg >= e->arg_count ||
		!type_is_bytes(&e->args[c->arg].type)) {
		return false;
	}
	make_text(fe, e, c);
	return true;
}

void qemu_mend_old(struct front_end *fe, struct event *e)
{
	const unsigned int halves = EVENT_TCG_TRANS | EVENT_TCG_EXEC;
	struct arena *a = &fe->model->arena;
	struct event *passed = arena_new(a, struct event);
	struct arg *args = arena_array(a, struct arg, e->arg_count);
	bool mended = false;

	*passed = *e;
	passed->args = args;
	for (size_t i = 0; i < e->arg_count; i++) {
		args[i] = e->args[i];
	}
	for (size_t i = 0; i < e->format.count && !(e->properties & halves); i++) {
		const struct segment *s = &e->format.segments[i];

		mended |= s->has_conversion && mend(fe, e, &s->conversion);
	}
	e->passed = mended ? passed : NULL;
}
