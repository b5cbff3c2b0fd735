/* SPDX-License-Identifier: MIT */
/*
 * One line of text in a fixed buffer of the caller: printed into piece by
 * piece, then ended, which escapes control characters, cuts what does not fit
 * (marked by "...", never inside a UTF-8 character) and adds the newline. No
 * allocation, no state: for any thread and any signal handler, but for the
 * functions that print as printf() does, which are that as far as vsnprintf() is.
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
	bool keeps_lines; /* newlines in it stay as they are */
};

/* `size` is at least 8. */
static inline void line_init(struct line *l, char *data, size_t size)
{
	*l = (struct line){ .data = data, .size = size };
}

/* Appends `count` bytes as they are. Any signal handler. */
void waymark_line_add(struct line *l, const char *bytes, size_t count);

/*
 * Appends; the text ends with a NUL. Of the conversions only %s, %d, %u and %%,
 * with `l` or `ll`: formatted here, with little stack and no locale. Any signal handler.
 */
void waymark_line_put(struct line *l, const char *fmt, ...) PRINTF(2, 3);
void waymark_line_vput(struct line *l, const char *fmt, va_list ap) PRINTF(2, 0);

/* Appends with everything that printf() knows. */
void waymark_line_vprintf(struct line *l, const char *fmt, va_list ap) PRINTF(2, 0);
void waymark_line_printf(struct line *l, const char *fmt, ...) PRINTF(2, 3);

/* Ends the line: its last byte is then the newline, and no NUL follows. */
void waymark_line_end(struct line *l);

#endif
