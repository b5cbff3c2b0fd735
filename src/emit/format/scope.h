/* SPDX-License-Identifier: MIT */
/*
 * The code of scopes that other events do not have. A scope is two events, its beginning and its
 * end, with one state word. Their functions of each backend are like those of events, except that
 * all printing backends share one function.
 */
#ifndef EMIT_FORMAT_SCOPE_H
#define EMIT_FORMAT_SCOPE_H

#include "emit/emit.h"

/*
 * Writes the declarations of a scope to the header. `state` is the expression that call sites test,
 * `words` declares what it reads besides our own word.
 */
void emit_scope_h(
	struct emit_context *c, const struct event *e, const char *state, const char *words);

/* Writes the functions of a scope to the source, after its backends' functions. */
void emit_scope_c(struct emit_context *c, const struct event *e);

#endif
