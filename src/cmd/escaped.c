/* SPDX-License-Identifier: MIT */
/* Texts that cannot break a line, see cmd/escaped.h. */
#include "cmd/escaped.h"

#include <stdlib.h>

#include "base/escape.h"

void escaped_put(FILE *file, const char *text)
{
	char code[ESCAPE_MAX];

	for (; *text; text++) {
		if (*text == '\t' || escape_needed((unsigned char)*text)) {
			fwrite(code, 1, escape_byte(code, (unsigned char)*text), file);
		} else {
			putc(*text, file);
		}
	}
}

void escaped_vprintf(FILE *file, const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0) {
		abort();
	}
	escaped_put(file, text);
	free(text);
}

void escaped_printf(FILE *file, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	escaped_vprintf(file, fmt, ap);
	va_end(ap);
}

void escaped_vsay(const char *name, const char *fmt, va_list ap)
{
	escaped_printf(stderr, "%s: ", name);
	escaped_vprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}
