/* SPDX-License-Identifier: MIT */
/*
 * A trace or file that a command makes, whose name belongs to a complete one at any moment.
 * waymark convert writes it as PATH.new-XXXXXX, which gets the name when it is complete:
 * output_begin(), output_commit(). waymark record has a program make it under its name: what had
 * the name waits as PATH.old-XXXXXX meanwhile, and is removed or gets its name back:
 * output_set_aside(), output_remove_old() or output_restore_old().
 * One process at a time for a path; one thread.
 */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include <stdbool.h>

#include "output/replaceable.h"

struct output {
	const char *path; /* the name: the caller's, for as long as this is used */
	char *temporary; /* the new one's name until the commit; NULL: there is none */
	char *aside; /* the name of what had the name; NULL: there is none */
	int fd; /* of the new folder or file; -1: none is open */
	bool is_folder;
	bool replaces;
	struct replaceable old;
	char error[600]; /* of the last function that failed */
};

/*
 * Begins a folder or file that will be `path`. False where something has the name and `replaces`
 * is false or it may not be replaced (output/replaceable.h), and on other failures.
 */
bool output_begin(struct output *o, const char *path, bool is_folder, bool replaces);

/* Gives it its name and removes what had it. False on failure: then nothing changed. */
bool output_commit(struct output *o);

/* Removes what was begun, unless it was committed, and frees everything. */
void output_fini(struct output *o);

/*
 * Sets aside what has the name, an absolute path: a folder that may be replaced, or nothing. Where
 * a killed process left a trace set aside and nothing has the name, that trace counts as having
 * it. False on failure: then nothing changed.
 */
bool output_set_aside(struct output *o, const char *path);

/* Gives what was set aside its name back. False where something else has the name: it stays. */
bool output_restore_old(struct output *o);

/* Removes what was set aside, with the memory its processes left. False: a part stays. */
bool output_remove_old(struct output *o);

/* As rename(2), but replaces nothing: fails with EEXIST. */
int output_rename_new(const char *from, const char *to);

#endif
