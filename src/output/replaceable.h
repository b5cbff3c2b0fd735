/* SPDX-License-Identifier: MIT */
/*
 * Files that an output of the same name may replace: an empty folder, a native trace that no
 * process records into, a folder of such traces, a regular file. A trace is removed file by file,
 * with the leftovers of a crash or of our own tools. For output/output.c. One thread.
 */
#ifndef OUTPUT_REPLACEABLE_H
#define OUTPUT_REPLACEABLE_H

#include <stdbool.h>

#include "base/vec.h"

struct replaceable {
	VEC(char *) buffers; /* buffer files left by the traces' processes */
	char error[600];
};

/*
 * Checks the present file or folder `path`, and changes nothing. Returns true if it may be
 * replaced, or does not exist; false, with the reason, if it must not or cannot be removed.
 */
bool replaceable_check(struct replaceable *r, const char *path);

/*
 * Removes what was checked, which may have another name now, and then the memory of its processes.
 * Returns 0 or an errno: the first file that cannot be removed, and those after it, are kept.
 */
int replaceable_remove(const struct replaceable *r, const char *path);

void replaceable_fini(struct replaceable *r);

#endif
