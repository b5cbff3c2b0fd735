/* SPDX-License-Identifier: MIT */
/*
 * Appends to lines with all conversions of printf(), for errors of control calls and the program's
 * own formats. The C library's formatting takes some 2 KiB of stack, depends on locales, and may
 * allocate for wide fields, so the recorder's messages use waymark_line_put(). This is a separate
 * file because a test checks for each object file which functions signal handlers may call.
 */
#include <stdio.h>

#include "rt/host/line.h"

void waymark_line_vprintf(struct line *l, const char *fmt, va_list ap)
{
	size_t room = l->size - l->len;
	int n = vsnprintf(l->data + l->len, room, fmt, ap);

	if (n < 0) {
		return;
	}
	if ((size_t)n >= room) {
		l->cut = true;
		n = (int)room - 1;
	}
	l->len += (size_t)n;
}

void waymark_line_printf(struct line *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	waymark_line_vprintf(l, fmt, ap);
	va_end(ap);
}
