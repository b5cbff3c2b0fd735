/* SPDX-License-Identifier: MIT */
/*
 * An output that is there whole or not at all: written under another name
 * beside its own, which it gets when it is done. What is there already is
 * replaced only on demand, and only if it is an empty folder, a native trace
 * that nobody records into (which goes file by file, with what a crash or our
 * own tools left in it) or a file. One thread.
 */
#ifndef WRITE_STAGED_H
#define WRITE_STAGED_H

#include <stdbool.h>
#include <stddef.h>

struct staged {
	const char *path;
	char *temporary;
	int fd; /* of the new folder or file */
	char *arena; /* of the trace that is replaced: what its process left in memory */
	bool is_folder;
	bool replaces;
	char error[600]; /* of the last function that failed */
};

/* Begins a folder or file that will be `path`, which must outlive it. False on failure. */
bool staged_begin(struct staged *s, const char *path, bool is_folder, bool replaces);

/* Gives it its name. False on failure: then nothing changed. */
bool staged_commit(struct staged *s);

/*
 * Removes what staged_begin() would replace, unless it is a file, and what its process left in
 * memory. False, with the reason: then nothing changed.
 */
bool staged_remove(const char *path, char *error, size_t size);

/* Takes back what was begun; nothing after a commit. */
void staged_fini(struct staged *s);

#endif
