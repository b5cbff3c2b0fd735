/* SPDX-License-Identifier: MIT */
/* Escapes whatever could break a line of a message or a table, or command a terminal. */
#include "cmd/escaped.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

void escaped_put(FILE *file, const char *text)
{
	const char *end = text + strlen(text);
	char shown[ESCAPE_MAX * UTF8_MAX];

	while (text < end) {
		if (*text == '\t') {
			fputs("\\x09", file);
			text++;
			continue;
		}
		char *to = escape_character(shown, &text, (size_t)(end - text));

		fwrite(shown, 1, (size_t)(to - shown), file);
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

FILE *memory_stream(char **text, size_t *size)
{
	FILE *file = open_memstream(text, size);

	if (!file) {
		abort();
	}
	return file;
}

void escaped_vsay(const char *name, const char *fmt, va_list ap)
{
	char *line = NULL;
	size_t size = 0;
	FILE *file = memory_stream(&line, &size);

	escaped_printf(file, "%s: ", name);
	escaped_vprintf(file, fmt, ap);
	putc('\n', file);
	fclose(file);
	fwrite(line, 1, size, stderr);
	free(line);
}

void escaped_say(const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	escaped_vsay(name, fmt, ap);
	va_end(ap);
}

void escaped_caret(FILE *file, const char *text, size_t at, size_t length)
{
	size_t left = strlen(text) - at;

	fputs("  ", file);
	for (const char *p = text; *p; p++) {
		putc((unsigned char)*p < ' ' || *p == 0x7f ? ' ' : *p, file);
	}
	fprintf(file, "\n  %*s^", (int)utf8_count(text, at), "");
	for (size_t i = utf8_count(text + at, length < left ? length : left); i > 1; i--) {
		putc('~', file);
	}
	putc('\n', file);
}
