/* SPDX-License-Identifier: MIT */
/*
 * The code of scopes, besides what every event has. A scope is two events, its beginning and its
 * end, under one state word; their functions of each backend are those of events, but for backends
 * that print, which have one function for all of them.
 */
#ifndef EMIT_FORMAT_SCOPE_H
#define EMIT_FORMAT_SCOPE_H

#include "emit/emit.h"

/*
 * Writes the declarations of a scope into the header. `state` is the expression that call sites
 * test, `words` declares what it reads beside our own word.
 */
void emit_scope_h(
	struct emit_context *c, const struct event *e, const char *state, const char *words);

/* Writes the functions of a scope into the source, behind those of its backends. */
void emit_scope_c(struct emit_context *c, const struct event *e);

#endif
