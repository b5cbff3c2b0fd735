/* SPDX-License-Identifier: MIT */
/*
 * Objects that implement Debug like their counterparts in Rust, and functions that render a value.
 */
#ifndef SHAPES_H
#define SHAPES_H

#include "brace/brace.h"

/* Returns the renderer of a named shape, or NULL. */
waymark_debug_fn *shape_find(const char *name);

/* Renders a message with one value into a static buffer, which it returns. */
const char *rendered(const char *message, struct waymark_debug value);

static inline struct waymark_debug text_value(const char *text)
{
	return waymark_debug_string(text);
}

/* A CStr: only its Debug output differs from a str's. */
static inline struct waymark_debug cstring_value(const char *text, size_t length)
{
	struct waymark_debug v = waymark_debug_text(text, length);

	v.kind = BRACE_CSTRING;
	return v;
}

#endif
