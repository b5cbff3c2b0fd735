/* SPDX-License-Identifier: MIT */
/* How this layer says what is wrong: one line of text in the caller's buffer. */
#ifndef SOCKET_FAIL_H
#define SOCKET_FAIL_H

#include <stddef.h>

#include "base/compiler.h"

/* Where an error goes. */
struct fail {
	char *text;
	size_t size; /* 0: nowhere */
};

/*
 * Writes the line, without control characters, so that a path breaks none. Returns -1,
 * keeps errno.
 */
int socket_fail(const struct fail *f, const char *format, ...) PRINTF(2, 3);

/* The same: where, what could not be done (NULL: it goes without saying), and errno's text. */
int socket_fail_errno(const struct fail *f, const char *where, const char *what);

#endif
