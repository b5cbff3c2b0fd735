/* SPDX-License-Identifier: MIT */
/*
 * A line of text in a fixed buffer of the caller: text is appended, then the line is ended, which
 * escapes control characters, cuts text that does not fit (marked by "...", never inside a UTF-8
 * character) and adds the newline. Allocates nothing and keeps no state. Any thread, any signal
 * handler; the functions that format as printf() does (line_printf.c) are as safe as vsnprintf().
 */
#ifndef RT_HOST_LINE_H
#define RT_HOST_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

struct line {
	char *data;
	size_t size;
	size_t len;
	bool cut;
	bool keeps_lines; /* newlines are not escaped */
};

/* Begins a line; `size` is at least 8. */
static inline void line_init(struct line *l, char *data, size_t size)
{
	*l = (struct line){ .data = data, .size = size };
}

/* Appends `count` bytes and a NUL; cuts what does not fit. Any signal handler. */
void waymark_line_add(struct line *l, const char *bytes, size_t count);

/*
 * Appends text and a NUL. Conversions are %s, %d, %u and %%, with `l` or `ll`. Formats with little
 * stack and no locale. Any signal handler.
 */
void waymark_line_put(struct line *l, const char *fmt, ...) PRINTF(2, 3);
void waymark_line_vput(struct line *l, const char *fmt, va_list ap) PRINTF(2, 0);

/* Appends with all conversions of printf(). */
void waymark_line_vprintf(struct line *l, const char *fmt, va_list ap) PRINTF(2, 0);
void waymark_line_printf(struct line *l, const char *fmt, ...) PRINTF(2, 3);

/* Ends the line: its last byte is the newline, and no NUL follows. */
void waymark_line_end(struct line *l);

#endif
