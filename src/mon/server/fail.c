/* SPDX-License-Identifier: MIT */
/* See fail.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "mon/server/fail.h"
#include "socket/socket.h"

/* A long path must not hide what is wrong with it. */
#define BEGINNING 300
#define LEFT_OUT "[...]"

static void cut(char *text, size_t size, const char *whole)
{
	size_t length = strlen(whole);
	size_t end = size - 1 - BEGINNING - strlen(LEFT_OUT);

	if (length < size) {
		strcpy(text, whole);
	} else {
		snprintf(text, size, "%.*s" LEFT_OUT "%s", BEGINNING, whole, whole + length - end);
	}
}

int mon_fail(struct waymark_error *error, const char *fmt, ...)
{
	char whole[SOCKET_ERROR_SIZE];
	va_list ap;

	if (!error) {
		return -1;
	}
	va_start(ap, fmt);
	vsnprintf(whole, sizeof(whole), fmt, ap);
	va_end(ap);
	cut(error->text, sizeof(error->text), whole);
	for (char *p = error->text; *p; p++) {
		*p = escape_needed((unsigned char)*p) ? '?' : *p;
	}
	return -1;
}
