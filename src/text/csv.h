/* SPDX-License-Identifier: MIT */
/* Cells of comma-separated values, RFC 4180. */
#ifndef TEXT_CSV_H
#define TEXT_CSV_H

#include <string.h>

#include "text/out.h"

/* Writes a cell, in quotes if it has a comma, a quote or a line end. */
static inline void csv_put(struct out *out, const char *text, size_t length)
{
	if (!memchr(text, ',', length) && !memchr(text, '"', length) &&
		!memchr(text, '\r', length) && !memchr(text, '\n', length)) {
		out_bytes(out, text, length);
		return;
	}
	char *begin = out_reserve(out, 2 * length + 2);
	char *to = begin;

	*to++ = '"';
	for (size_t i = 0; i < length; i++) {
		*to = '"';
		to += text[i] == '"';
		*to++ = text[i];
	}
	*to++ = '"';
	out_advance(out, (size_t)(to - begin));
}

#endif
