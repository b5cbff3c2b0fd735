/* SPDX-License-Identifier: MIT */
/*
 * A file written anew in place of what is there: readers and a crash see the
 * old one or the new one, whole. Functions return 0 or an errno.
 */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include "text/out.h"

/* What a temporary name ends with; it begins with a `.`, which readers skip. */
#define REPLACE_SUFFIX ".new"

struct replace {
	struct out out; /* what the file will hold */
	int directory;
	char name[300];
	char temporary[320]; /* in the same folder */
};

/* Begins the file `name`, a path from the folder `directory` on, which stays open meanwhile. */
int replace_begin(struct replace *r, int directory, const char *name);

/* Writes it through to the disk and gives it its name, or leaves nothing behind. */
int replace_end(struct replace *r);

/*
 * Gives a new file of a trace the mode and, as far as one may, the owner of the
 * trace's metadata, if that is there already.
 */
void replace_like_metadata(int fd, int directory);

#endif
