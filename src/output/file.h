/* SPDX-License-Identifier: MIT */
/*
 * Replaces one file of a folder by a complete one: readers, even after a crash, find either the old
 * file or the whole new one. The new file is written under a temporary name in the same folder,
 * synced and renamed. For files of traces, by processes that hold the trace's lock. Functions
 * return 0 or an errno. One thread.
 */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include <stdbool.h>

#include "text/out.h"

/*
 * Replaces the content of the file `name`, a path below the folder `directory`, by that of an
 * OUT_TO_MEMORY writer, which the caller must not use again. A file that has this content is not
 * touched; on failure the file is unchanged. Sets *changed if the file was written.
 */
int output_file_write(int directory, const char *name, struct out *content, bool *changed);

/*
 * Sets the mode of a new file of a trace and, as far as permitted, its owner to those of the
 * trace's metadata, if that exists.
 */
void output_file_match_metadata(int fd, int directory);

#endif
