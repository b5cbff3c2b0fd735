/* SPDX-License-Identifier: MIT */
/* Names of files may hold anything; a line of a message has one line. For the commands. */
#ifndef CMD_ESCAPED_H
#define CMD_ESCAPED_H

#include <stdarg.h>
#include <stdio.h>

/* Writes a text with what escape_character() escapes, and tabs, as C escapes. */
void escaped_put(FILE *file, const char *text);

/* The same for a text that is formatted first. */
void escaped_vprintf(FILE *file, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void escaped_printf(FILE *file, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One line on standard error: the name of a command, and what it has to say. */
void escaped_vsay(const char *name, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#endif
