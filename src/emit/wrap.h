/* SPDX-License-Identifier: MIT */
/*
 * Breaks the long lines of generated C, so that emitters can write a statement
 * on one line however many arguments it has. The breaks are those of clang-format
 * with the project's style: its penalties decide, so that formatting generated
 * code anew changes nothing.
 */
#ifndef EMIT_WRAP_H
#define EMIT_WRAP_H

#include <stddef.h>

#include "text/out.h"

/* Writes the `len` bytes of C at `text`, whole lines, to `to`. */
void wrap_lines(struct out *to, const char *text, size_t len);

#endif
