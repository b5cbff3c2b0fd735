/* SPDX-License-Identifier: MIT */
/*
 * What has the name of an output already, and may make room for it: an empty folder, a
 * native trace that nobody records into (which goes file by file, with what a crash or
 * our own tools left in it), a folder of such traces or a file. One thread.
 */
#ifndef OUTPUT_REPLACEABLE_H
#define OUTPUT_REPLACEABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

struct replaceable {
	VEC(char *) arenas; /* what processes of the traces left in memory, which goes, too */
	char error[600];
};

/*
 * Whether what has the name may go; nothing does, it may. False, with the reason: it may not,
 * or could not be removed. Changes nothing.
 */
bool replaceable_check(struct replaceable *r, const char *path);

/*
 * Removes a folder that was checked, which may have another name by now, and its arenas.
 * Returns 0, or an errno: the first file that could not go, and those behind it, are there.
 */
int replaceable_remove(struct replaceable *r, const char *path);

/* A name beside `path`, PATH.WHAT-XXXXXX for mkdtemp(); the caller frees it. */
char *replaceable_name(const char *path, const char *what);

void replaceable_fini(struct replaceable *r);

#endif
