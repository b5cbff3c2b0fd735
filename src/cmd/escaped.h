/* SPDX-License-Identifier: MIT */
/*
 * Output of the commands that stays one line, whatever bytes a file's or event's name has:
 * control characters are written as C escapes, as escape_character() has them, tabs too.
 */
#ifndef CMD_ESCAPED_H
#define CMD_ESCAPED_H

#include <stdarg.h>
#include <stdio.h>

#include "base/compiler.h"

void escaped_put(FILE *file, const char *text);

/* The same for a text that is formatted first. */
void escaped_vprintf(FILE *file, const char *fmt, va_list ap) PRINTF(2, 0);
void escaped_printf(FILE *file, const char *fmt, ...) PRINTF(2, 3);

/* Writes a message to standard error: `NAME: TEXT` and a newline. */
void escaped_vsay(const char *name, const char *fmt, va_list ap) PRINTF(2, 0);
void escaped_say(const char *name, const char *fmt, ...) PRINTF(2, 3);

/* open_memstream() that ends the program when memory runs out. The caller frees the text. */
FILE *memory_stream(char **text, size_t *size);

#endif
