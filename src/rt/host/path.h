/* SPDX-License-Identifier: MIT */
/*
 * Paths that stay valid when the program changes its directory, for files that are opened later or
 * again. Header-only. Allocates, so it must not be used in signal handlers.
 */
#ifndef RT_HOST_PATH_H
#define RT_HOST_PATH_H

#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns an absolute copy, which the caller frees; NULL if memory runs out. */
static inline char *path_absolute(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	char *result = NULL;

	if (!here) {
		return strdup(path);
	}
	if (asprintf(&result, "%s%s%s", here, here[1] ? "/" : "", path) < 0) {
		result = NULL;
	}
	free(here);
	return result;
}

/* Returns true if a file can be created in the directory of the path. */
static inline bool path_is_creatable(const char *path)
{
	char *copy = strdup(path);
	bool ok = copy && eaccess(dirname(copy), W_OK | X_OK) == 0;

	free(copy);
	return ok;
}

#endif
