/* SPDX-License-Identifier: MIT */
/*
 * JSON for the views. A byte 0xNN that is not UTF-8 becomes \udcNN, which no valid text contains:
 * nothing is lost, and Python's surrogateescape reverses it. Characters that mislead on a terminal
 * are escaped, too.
 */
#ifndef VIEW_MESSAGE_JSON_H
#define VIEW_MESSAGE_JSON_H

#include <stddef.h>
#include <string.h>

#include "text/out.h"

/* Maximum bytes for each byte of a string; JSON_QUOTES more for each string. */
#define JSON_EXPANSION 6
#define JSON_QUOTES 16

/* Writes the characters of a string, without quotes; returns the end. */
char *json_put_text(char *out, const char *text, size_t length);

/* Writes a string with its quotes; returns the end. */
char *json_put_string(char *out, const char *text, size_t length);

/* Writes a string with its quotes to an output. */
static inline void json_out_text(struct out *out, const char *text, size_t length)
{
	char *begin = out_reserve(out, JSON_EXPANSION * length + JSON_QUOTES);

	out_advance(out, (size_t)(json_put_string(begin, text, length) - begin));
}

static inline void json_out_string(struct out *out, const char *text)
{
	json_out_text(out, text, strlen(text));
}

/* Writes `"key":"text",`; an empty text is null. */
static inline void json_out_member(struct out *out, const char *key, const char *text)
{
	out_printf(out, "\"%s\":", key);
	if (*text) {
		json_out_string(out, text);
	} else {
		out_str(out, "null");
	}
	out_char(out, ',');
}

#endif
