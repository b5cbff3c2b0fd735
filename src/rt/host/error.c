/* SPDX-License-Identifier: MIT */
/*
 * Reasons of failures, as text. Control characters that came in with a pattern
 * or a file name are escaped: a reason is one line.
 */
#include <stdarg.h>

#include "rt/host/error.h"
#include "rt/host/line.h"

int waymark_fail(struct waymark_error *error, const char *fmt, ...)
{
	struct line l;
	va_list ap;

	if (!error) {
		return -1;
	}
	line_init(&l, error->text, sizeof(error->text));
	va_start(ap, fmt);
	waymark_line_vprintf(&l, fmt, ap);
	va_end(ap);
	waymark_line_end(&l);
	error->text[l.len - 1] = '\0';
	return -1;
}
