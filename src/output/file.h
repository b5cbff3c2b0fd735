/* SPDX-License-Identifier: MIT */
/*
 * One file of a folder, replaced by a complete one: readers and a crash see the old file or the new
 * one, whole. It is written under a temporary name beside its own, synced and renamed. For files
 * of traces, by processes that hold the trace's lock. Functions return 0 or an errno. One thread.
 */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include "text/out.h"

struct output_file {
	struct out out; /* the caller writes the content here */
	int directory;
	char name[300];
	char temporary[320]; /* in the same folder */
};

/* Begins the file `name`, a path from the folder `directory` on, which must stay open. */
int output_file_begin(struct output_file *f, int directory, const char *name);

/* Writes the file through to the disk and gives it its name. On failure nothing is left of it. */
int output_file_commit(struct output_file *f);

/*
 * Gives a new file of a trace the mode and, as far as permitted, the owner of the trace's
 * metadata, if that exists.
 */
void output_file_match_metadata(int fd, int directory);

#endif
