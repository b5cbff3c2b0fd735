/* SPDX-License-Identifier: MIT */
/* See fail.h. */
#include <stdarg.h>
#include <stdio.h>

#include "base/escape.h"
#include "mon/fail.h"

int mon_fail(struct waymark_error *error, const char *fmt, ...)
{
	va_list ap;

	if (!error) {
		return -1;
	}
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	for (char *p = error->text; *p; p++) {
		*p = escape_needed((unsigned char)*p) ? '?' : *p;
	}
	return -1;
}
