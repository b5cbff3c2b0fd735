/* SPDX-License-Identifier: MIT */
/*
 * A trace put aside until another one has its name: one rename each way, so that at any
 * moment it is whole under its own name or as PATH.old-XXXXXX beside it. Whoever is killed
 * meanwhile leaves the latter, which the next one takes for the trace that it was. One
 * process at a time for a path; one thread.
 */
#ifndef OUTPUT_ASIDE_H
#define OUTPUT_ASIDE_H

#include <stdbool.h>

#include "output/replaceable.h"

struct aside {
	const char *path;
	char *name; /* that the trace has now; NULL: there is none */
	struct replaceable old;
	char error[600]; /* of the last function that failed */
};

/*
 * Puts aside what has the name, an absolute path that must outlive it: a folder that may be
 * replaced, or nothing. False, with the reason: then nothing changed.
 */
bool aside_begin(struct aside *a, const char *path);

/* Gives it its name back. False where another has the name: it stays where it is. */
bool aside_return(struct aside *a);

/* Removes it, and what its process left in memory. False, with the reason: a part stays. */
bool aside_remove(struct aside *a);

#endif
