/* SPDX-License-Identifier: MIT */
/*
 * The code of scopes, besides what every event has: in the header what begins and ends one,
 * in the source what is behind that. A scope is two events, its beginning and its end, under
 * one state word; their functions of each backend are those of events, but for backends that
 * print, which have one function for all of them.
 */
#ifndef EMIT_SCOPE_H
#define EMIT_SCOPE_H

#include "emit/emit.h"

/* The event as a program calls it: without the arguments that nobody declares. */
struct event scope_call(const struct event *e);

/* What the header has of a scope; `state` is what call sites test, `words` are declared for it. */
void emit_scope_h(
	struct emit_context *c, const struct event *e, const char *state, const char *words);

/* The functions of a scope, behind those of its backends. */
void emit_scope_c(struct emit_context *c, const struct event *e);

#endif
