/* SPDX-License-Identifier: MIT */
/* Errors of this folder: one line of text in the caller's buffer. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "socket/internal.h"

int socket_fail_errno(const struct fail *f, const char *where, const char *what)
{
	/* Not a buffer shared by threads: glibc's belongs to the thread since 2.32. */
	const char *why = strerror(errno);

	return socket_fail(f, "%s: %s%s%s", where, what ? what : "", what ? ": " : "", why);
}

int socket_fail(const struct fail *f, const char *format, ...)
{
	int kept = errno;
	va_list arguments;

	if (!f->size) {
		return -1;
	}
	va_start(arguments, format);
	vsnprintf(f->text, f->size, format, arguments);
	va_end(arguments);
	for (char *c = f->text; *c; c++) {
		if (*c == '\t' || escape_needed((unsigned char)*c)) {
			*c = '?';
		}
	}
	errno = kept;
	return -1;
}
