/* SPDX-License-Identifier: MIT */
/*
 * JSON for the views. A byte 0xNN that is no part of UTF-8 becomes \udcNN, which
 * no valid text holds: nothing is lost, and Python's surrogateescape undoes it.
 * What could mislead whoever looks at a terminal is escaped, too.
 */
#ifndef VIEW_MESSAGE_JSON_H
#define VIEW_MESSAGE_JSON_H

#include <stddef.h>

/* What a byte of a string takes at most; JSON_QUOTES for each string more. */
#define JSON_EXPANSION 6
#define JSON_QUOTES 16

/* Writes what is between the quotes of a string; returns the end. */
char *json_put_text(char *out, const char *text, size_t length);

/* Writes a string with its quotes; returns the end. */
char *json_put_string(char *out, const char *text, size_t length);

#endif
