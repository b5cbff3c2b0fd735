/* SPDX-License-Identifier: MIT */
/* Objects that implement Debug, as Rust programs beside them do, and values into text. */
#ifndef SHAPES_H
#define SHAPES_H

#include "brace/brace.h"

/* The renderer of a named shape, or NULL. */
brace_debug_fn *shape_find(const char *name);

/* A message with one value into a static buffer, which is returned. */
const char *rendered(const char *message, struct brace_value value);

static inline struct brace_value text_value(const char *text)
{
	return brace_text(BRACE_STRING, text, __builtin_strlen(text));
}

#endif
