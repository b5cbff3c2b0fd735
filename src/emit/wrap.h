/* SPDX-License-Identifier: MIT */
/*
 * Breaks the long lines of generated code, so that emitters can write a statement on one line
 * however many arguments it has.
 */
#ifndef EMIT_WRAP_H
#define EMIT_WRAP_H

#include <stddef.h>

#include "text/out.h"

/*
 * Writes the `len` bytes at `text`, whole lines, to `to`. In a line of more than 100 columns, each
 * item of its outermost list, or a macro's body, gets its own line.
 */
void wrap_lines(struct out *to, const char *text, size_t len);

#endif
