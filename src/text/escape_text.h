/* SPDX-License-Identifier: MIT */
/*
 * Traced text on a terminal: whatever its bytes are, it is UTF-8 afterwards,
 * keeps to its line and neither drives the terminal nor changes the order in
 * which the rest is shown. Printable characters of any language pass.
 */
#ifndef TEXT_ESCAPE_TEXT_H
#define TEXT_ESCAPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/escape.h"

/*
 * Takes one character, of `left` bytes that are there, off `*text` and writes
 * it, or its escape: \n, \x1b or, of a byte that is no UTF-8, \xff; \u202e. Needs
 * ESCAPE_MAX bytes for each that it takes. Returns the end.
 */
char *escape_character(char *out, const char **text, size_t left);

/* Whether the character of `n` bytes, two at least, is a control or changes the order of others. */
bool escape_misleads(const char *text, size_t n, uint32_t *code);

#endif
