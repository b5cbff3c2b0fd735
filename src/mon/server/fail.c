/* SPDX-License-Identifier: MIT */
/* Writes an error as one line that fits into struct waymark_error. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "mon/server/fail.h"
#include "socket/socket.h"

/* A text that is too long loses its middle: a path is at its start, the reason at its end. */
#define BEGINNING 300
#define LEFT_OUT "[...]"

int mon_fail(struct waymark_error *error, const char *fmt, ...)
{
	const size_t size = sizeof(error->text);
	const size_t end = size - 1 - BEGINNING - strlen(LEFT_OUT);
	char whole[SOCKET_ERROR_SIZE];
	va_list ap;

	if (!error) {
		return -1;
	}
	va_start(ap, fmt);
	vsnprintf(whole, sizeof(whole), fmt, ap);
	va_end(ap);
	if (strlen(whole) < size) {
		strcpy(error->text, whole);
	} else {
		snprintf(error->text, size, "%.*s" LEFT_OUT "%s", BEGINNING, whole,
			whole + strlen(whole) - end);
	}
	for (char *p = error->text; *p; p++) {
		*p = escape_needed((unsigned char)*p) ? '?' : *p;
	}
	return -1;
}
