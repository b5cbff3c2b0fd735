/* SPDX-License-Identifier: MIT */
/*
 * One file of a folder, replaced by a complete one: readers and a crash see the old file or the new
 * one, whole. It is written under a temporary name beside its own, synced and renamed. For files
 * of traces, by processes that hold the trace's lock. Functions return 0 or an errno. One thread.
 */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include <stdbool.h>

#include "text/out.h"

/*
 * Gives the file `name`, a path from the folder `directory` on, the content of an OUT_TO_MEMORY
 * writer, which the caller must not use again. A file that has this content is not touched; on
 * failure the file is as it was. Sets *changed where the file was written.
 */
int output_file_write(int directory, const char *name, struct out *content, bool *changed);

/*
 * Gives a new file of a trace the mode and, as far as permitted, the owner of the trace's
 * metadata, if that exists.
 */
void output_file_match_metadata(int fd, int directory);

#endif
