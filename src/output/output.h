/* SPDX-License-Identifier: MIT */
/*
 * A trace or file that a command makes. Its name belongs to a complete one at every moment. waymark
 * convert writes it as PATH.new-XXXXXX and renames it when it is complete: output_begin(),
 * output_commit(); a signal that ends the command removes it. waymark record lets a program make it
 * under its own name: an existing output is called PATH.old-XXXXXX meanwhile, and is then removed
 * or gets its name back: output_set_aside(), output_remove_old() or output_restore_old(). One
 * process at a time for a path; one thread.
 */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include <stdbool.h>

#include "output/replaceable.h"

struct output {
	const char *path; /* the output's name; must outlive this struct */
	char *temporary; /* name of the new output before the commit; NULL: none */
	char *aside; /* name of the output that was set aside; NULL: none */
	int fd; /* the new folder or file; -1: none is open */
	bool is_folder;
	bool replaces;
	struct replaceable old;
	char error[600]; /* from the last function that failed */
};

/*
 * Begins a folder or file that will be `path`. Returns false if the name exists and `replaces` is
 * false or it must not be replaced (output/replaceable.h), and on other failures. On success, `o`
 * stays at its address until output_fini().
 */
bool output_begin(struct output *o, const char *path, bool is_folder, bool replaces);

/*
 * Renames the new output to its name, and removes the old one. On failure, changes nothing and
 * returns false.
 */
bool output_commit(struct output *o);

/* Removes the new output unless it was committed, and frees everything. */
void output_fini(struct output *o);

/*
 * Sets aside the present output with the absolute path `path`: a folder that may be replaced, or
 * nothing. If there is none, but a killed process left a trace set aside, uses that trace. On
 * failure, changes nothing and returns false.
 */
bool output_set_aside(struct output *o, const char *path);

/*
 * Restores the name of the output that was set aside. Returns false if the name is in use again; it
 * stays aside then.
 */
bool output_restore_old(struct output *o);

/*
 * Removes the output that was set aside, with the memory that its processes left. Returns false if
 * a part is left.
 */
bool output_remove_old(struct output *o);

/* Renames like rename(2), but replaces nothing: fails with EEXIST. */
int output_rename_new(const char *from, const char *to);

#endif
