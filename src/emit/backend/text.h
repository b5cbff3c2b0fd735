/* SPDX-License-Identifier: MIT */
/* The values of a message with braces, for the backends that print and for scopes. */
#ifndef EMIT_BACKEND_TEXT_H
#define EMIT_BACKEND_TEXT_H

#include "emit/emit.h"

/*
 * Writes the statements that make the array `waymark_values` of a message's placeholders, and that
 * use the arguments without placeholders. Returns the number of values; if it is 0, there is no
 * array.
 */
size_t emit_text_values(struct emit_context *c, const struct event *e);

#endif
