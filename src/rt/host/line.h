/* SPDX-License-Identifier: MIT */
/*
 * One line of text in a fixed buffer of the caller: printed into piece by
 * piece, then ended, which escapes control characters, cuts what does not fit
 * (marked by "...", never inside a UTF-8 character) and adds the newline. No
 * allocation, no state: for any thread and, as far as vsnprintf is, any signal
 * handler.
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
};

/* `size` is at least 8. */
static inline void line_init(struct line *l, char *data, size_t size)
{
	*l = (struct line){ .data = data, .size = size };
}

void waymark_line_vprintf(struct line *l, const char *fmt, va_list ap) PRINTF(2, 0);
void waymark_line_printf(struct line *l, const char *fmt, ...) PRINTF(2, 3);

/* Ends the line: its last byte is then the newline, and no NUL follows. */
void waymark_line_end(struct line *l);

#endif
