/* SPDX-License-Identifier: MIT */
/*
 * The reason of a failure as text, for functions that return false and let their caller report it.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"

/* Formats the reason, cut to `size` bytes. Returns false. */
static inline PRINTF(3, 4) bool error_format(char *error, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error, size, fmt, ap);
	va_end(ap);
	return false;
}

/*
 * Formats the reason into an array. Is false, so that a function can return it:
 *	return error_set(d->error, "%s: no such trace", path);
 */
#define error_set(error, ...) error_format((error), sizeof(error), __VA_ARGS__)

/* True if an errno is that there was no free descriptor: a later try may succeed. */
static inline bool error_is_shortage(int why)
{
	return why == EMFILE || why == ENFILE;
}

#endif
