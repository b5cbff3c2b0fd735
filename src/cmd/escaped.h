/* SPDX-License-Identifier: MIT */
/*
 * Output of the commands that stays on one line, whatever bytes a name has: control characters,
 * including tabs, are written as C escapes, by escape_character().
 */
#ifndef CMD_ESCAPED_H
#define CMD_ESCAPED_H

#include <stdarg.h>
#include <stdio.h>

#include "base/compiler.h"

void escaped_put(FILE *file, const char *text);

/* Formats a text, then writes it escaped. */
void escaped_vprintf(FILE *file, const char *fmt, va_list ap) PRINTF(2, 0);
void escaped_printf(FILE *file, const char *fmt, ...) PRINTF(2, 3);

/*
 * Writes a message to standard error, `NAME: TEXT` and a newline, at once: other processes and
 * threads may write there, too.
 */
void escaped_vsay(const char *name, const char *fmt, va_list ap) PRINTF(2, 0);
void escaped_say(const char *name, const char *fmt, ...) PRINTF(2, 3);

/* Calls open_memstream(); ends the program if memory is exhausted. The caller frees the text. */
FILE *memory_stream(char **text, size_t *size);

/*
 * Prints an expression, and below it a caret at the wrong part: `length` bytes, of which the first
 * is at `at`.
 */
void escaped_caret(FILE *file, const char *text, size_t at, size_t length);

#endif
