/* SPDX-License-Identifier: MIT */
/*
 * Files that an output of the same name may replace: an empty folder, a native trace that no
 * process records into (removed file by file, with what a crash or our own tools left in it), a
 * folder of such traces, a regular file. For output/output.c. One thread.
 */
#ifndef OUTPUT_REPLACEABLE_H
#define OUTPUT_REPLACEABLE_H

#include <stdbool.h>

#include "base/vec.h"

struct replaceable {
	VEC(char *) buffers; /* files of memory that processes of the traces left */
	char error[600];
};

/*
 * Checks what has the name `path`, and changes nothing. True where it may be replaced, or nothing
 * has the name. False, with the reason, where it may not or could not be removed.
 */
bool replaceable_check(struct replaceable *r, const char *path);

/*
 * Removes what was checked, which may have another name by now, and then the memory of its
 * processes. Returns 0 or an errno: the first file that cannot be removed and those behind it stay.
 */
int replaceable_remove(const struct replaceable *r, const char *path);

void replaceable_fini(struct replaceable *r);

#endif
