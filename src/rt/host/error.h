/* SPDX-License-Identifier: MIT */
/*
 * Filling a struct waymark_error: the runtime's functions return -1 with a
 * reason, and only their callers decide whether anybody reads it.
 */
#ifndef RT_HOST_ERROR_H
#define RT_HOST_ERROR_H

#include <waymark/control.h>

#include "base/compiler.h"

/* Sets the reason; `error` may be NULL. Returns -1, so that a function can end with it. */
int waymark_fail(struct waymark_error *error, const char *fmt, ...) PRINTF(2, 3);

/* Empties it; `error` may be NULL. */
static inline void error_clear(struct waymark_error *error)
{
	if (error) {
		error->text[0] = '\0';
	}
}

#endif
