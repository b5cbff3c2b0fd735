/* SPDX-License-Identifier: MIT */
/*
 * A directory in place of declaration files: finds and orders its files, so that tracetool and the
 * readers of traces get the same events.
 */
#ifndef DECL_DIRECTORY_H
#define DECL_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* True if the path is an existing directory. */
bool decl_is_directory(const char *path);

/*
 * Finds the files *.toml of `directory`, except hidden ones and those in subdirectories, ordered by
 * the bytes of their names, whatever the locale. Stores their paths, allocated in the arena.
 * Returns NULL, or the reason why there are none, in a text that the next call may overwrite.
 */
const char *decl_list_directory(
	struct arena *arena, const char *directory, const char *const **paths, size_t *count);

#endif
