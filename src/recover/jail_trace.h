/* SPDX-License-Identifier: MIT */
/*
 * The trace directory of a jail's buffer. The drain or a recovery makes it for the process, which
 * cannot open files: with the metadata from the buffer, and the name that the process would have
 * used. After that it is a native trace like any other. One thread, one process at a time.
 */
#ifndef RECOVER_JAIL_TRACE_H
#define RECOVER_JAIL_TRACE_H

#include <stdbool.h>

#include "recover/jail_buffer.h"

/*
 * Makes the directory unless it exists, in the folder `place`, or where the process wanted it if
 * that is NULL, and stores its name in the buffer. `directory` (BUFFER_FILE_PATH_BYTES) gets the
 * name, since the process can change the one in the buffer at any time. Returns 0 or an errno, and
 * `directory` is then the first process's trace; EAGAIN means that nothing was declared yet.
 */
int jail_trace_make(struct jail_buffer *a, const char *place, char *directory);

/* Makes the directory for the buffer at `path`. */
int jail_trace_make_at(const char *path, const char *place, char *directory);

/*
 * Appends the declarations that the metadata in the folder `directory` lacks. Returns 0 or an
 * errno. *changed: some were missing.
 */
int jail_trace_append_metadata(const struct jail_buffer *a, int directory, bool *changed);

#endif
