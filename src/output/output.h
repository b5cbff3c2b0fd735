/* SPDX-License-Identifier: MIT */
/*
 * An output that is there whole or not at all: written under another name
 * beside its own, which it gets when it is done. What is there already is
 * replaced only on demand, and only if it may go (output/replaceable.h). One thread.
 */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "output/replaceable.h"

struct staged {
	const char *path;
	char *temporary;
	int fd; /* of the new folder or file */
	struct replaceable old;
	bool is_folder;
	bool replaces;
	char error[600]; /* of the last function that failed */
};

/* Begins a folder or file that will be `path`, which must outlive it. False on failure. */
bool staged_begin(struct staged *s, const char *path, bool is_folder, bool replaces);

/* Gives it its name. False on failure: then nothing changed. */
bool staged_commit(struct staged *s);

/* Takes back what was begun; nothing after a commit. */
void staged_fini(struct staged *s);

#endif
