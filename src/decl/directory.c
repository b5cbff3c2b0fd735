/* SPDX-License-Identifier: MIT */
/* Finds the declaration files of a directory, ordered by the bytes of their names. */
#include "decl/directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SUFFIX ".toml"

bool decl_is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Skips hidden files, which editors keep next to an open file. */
static int is_declaration(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);
	size_t suffix = strlen(SUFFIX);

	return entry->d_name[0] != '.' && len > suffix &&
	       strcmp(entry->d_name + len - suffix, SUFFIX) == 0;
}

static int compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/*
 * Returns a message about the first path that cannot be read, NULL if there is none. Opening a pipe
 * would wait for its writer. A directory of that name becomes an error when it is read.
 */
static const char *find_odd(struct arena *arena, const char *const *paths, size_t count)
{
	struct stat st;

	for (size_t i = 0; i < count; i++) {
		if (stat(paths[i], &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
			return arena_printf(arena, "%s is not a regular file", paths[i]);
		}
	}
	return NULL;
}

const char *decl_list_directory(
	struct arena *arena, const char *directory, const char *const **paths, size_t *count)
{
	struct dirent **entries = NULL;
	int found = scandir(directory, &entries, is_declaration, compare);
	size_t len = strlen(directory);
	const char *slash = len > 0 && directory[len - 1] == '/' ? "" : "/";

	if (found < 0) {
		return strerror(errno);
	}
	const char **list = arena_array(arena, const char *, (size_t)found + 1);

	for (int i = 0; i < found; i++) {
		list[i] = arena_printf(arena, "%s%s%s", directory, slash, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	*paths = list;
	*count = (size_t)found;
	return found ? find_odd(arena, list, *count) : "a directory without files *" SUFFIX;
}
