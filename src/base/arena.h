/* SPDX-License-Identifier: MIT */
/*
 * A bump allocator for offline code (tracetool, the readers): all memory of one subject is freed in
 * one call. Memory is zeroed and aligned for any object. Ends the program with a message if memory
 * is exhausted. Not for the runtime (src/rt), which never aborts.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/compiler.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
	char *pos;
	char *end;
};

void arena_init(struct arena *a);
void arena_fini(struct arena *a);

/* Returns zeroed memory that lives until arena_fini(). Never NULL. */
void *arena_alloc(struct arena *a, size_t size) NONNULL_RESULT;

/* Returns a NUL-terminated copy of the `len` bytes at `s`. */
char *arena_strndup(struct arena *a, const char *s, size_t len) NONNULL_RESULT;
char *arena_strdup(struct arena *a, const char *s) NONNULL_RESULT;
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3) NONNULL_RESULT;

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (n)))

#endif
