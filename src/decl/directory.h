/* SPDX-License-Identifier: MIT */
/*
 * A directory in place of the declaration files in it: which files those are, in which order, so
 * that tracetool and the readers of traces see the same events.
 */
#ifndef DECL_DIRECTORY_H
#define DECL_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* True for a directory that exists. */
bool decl_is_directory(const char *path);

/*
 * Finds the files *.toml of `directory`, though not those that are hidden, nor in directories
 * within; by the bytes of their names, whatever the locale. Stores their paths, which the arena
 * keeps. Returns NULL, or why there are none, in words that the next call may overwrite.
 */
const char *decl_list_directory(
	struct arena *arena, const char *directory, const char *const **paths, size_t *count);

#endif
