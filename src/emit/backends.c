/* SPDX-License-Identifier: MIT */
/*
 * The table of backends, the rows of it that a run and an event use, and what the rows need from an
 * event's arguments. For the emitters, the checks and tracetool's options.
 */
#include <string.h>

#include "emit/emit.h"

/* A row for the backend of builds without tracing, so that it can be named; it has no code. */
const struct emit_backend emit_backend_nop = { .mask = NULL };

const struct emit_backend_row emit_backends[] = {
	{ "nop", "nothing: events compile to no code at all", &emit_backend_nop },
#define EMIT_ROW(bit, upper, lower, kind, help) { #lower, help, &emit_backend_##lower },
	WAYMARK_ALL_BACKENDS(EMIT_ROW)
#undef EMIT_ROW
		{ NULL, NULL, NULL },
};

int emit_find_backend(const char *name)
{
	for (int i = 0; emit_backends[i].name; i++) {
		if (strcmp(emit_backends[i].name, name) == 0) {
			return i;
		}
	}
	return -1;
}

const struct emit_backend_row *emit_next_chosen(
	const struct emit_context *c, const struct event *e, const struct emit_backend_row *row)
{
	bool is_scope = !e || e->properties & (EVENT_SCOPE | EVENT_SCOPE_END);

	for (row = row ? row + 1 : emit_backends; row->name; row++) {
		bool is_chosen = c->backends & 1u << (row - emit_backends);

		if (is_chosen && row->backend->mask && (is_scope || !row->backend->scopes_only)) {
			return row;
		}
	}
	return NULL;
}

const struct emit_backend_row *emit_first_recorder(const struct emit_context *c)
{
	chosen_foreach (c, NULL, row) {
		if (row->backend->recorder) {
			return row;
		}
	}
	return NULL;
}

bool event_is_on(const struct emit_context *c, const struct event *e)
{
	return emit_next_chosen(c, e, NULL) && !(e->properties & EVENT_DISABLE);
}

size_t emit_word(const struct event *e, size_t arg)
{
	size_t words = arg;

	for (size_t i = 0; i < arg; i++) {
		words += type_is_counted(&e->args[i].type);
	}
	return words;
}

size_t emit_words(const struct event *e)
{
	return emit_word(e, e->arg_count);
}
