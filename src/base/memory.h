/* SPDX-License-Identifier: MIT */
/*
 * Allocation for offline code: never returns NULL, but ends the program with a message if memory is
 * exhausted. Not for the runtime (src/rt), nor where a caller of libwaymark-reader could handle the
 * error.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

#include "base/compiler.h"

void *xcalloc(size_t n, size_t size) NONNULL_RESULT;
void *xrealloc(void *p, size_t size) NONNULL_RESULT;
char *xstrdup(const char *s) NONNULL_RESULT;

#endif
