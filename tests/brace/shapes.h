/* SPDX-License-Identifier: MIT */
/* Objects that implement Debug, as Rust programs beside them do, and values into text. */
#ifndef SHAPES_H
#define SHAPES_H

#include "brace/brace.h"

/* The renderer of a named shape, or NULL. */
waymark_debug_fn *shape_find(const char *name);

/* A message with one value into a static buffer, which is returned. */
const char *rendered(const char *message, struct waymark_debug value);

static inline struct waymark_debug text_value(const char *text)
{
	return waymark_debug_string(text);
}

/* CStr: only its Debug differs from that of str. */
static inline struct waymark_debug cstring_value(const char *text, size_t length)
{
	struct waymark_debug v = waymark_debug_text(text, length);

	v.kind = BRACE_CSTRING;
	return v;
}

#endif
