/* SPDX-License-Identifier: MIT */
/*
 * The trace directory of a jail's buffer, made by who drains it or recovers it: with the
 * metadata that is in the buffer, under the name that its process would have taken. Then it
 * is a native trace like others, whose process lives or was killed.
 */
#ifndef RECOVER_JAIL_STAGE_H
#define RECOVER_JAIL_STAGE_H

#include <stdbool.h>

#include "recover/jail_buffer.h"

/*
 * Makes it unless it is there, in the folder `place`, or where the process wanted it if that is
 * NULL; the buffer names it then. `directory` (BUFFER_FILE_PATH_BYTES) gets its name: the buffer's
 * own may be another at any moment, for its process writes to that. Returns 0 or an errno, in
 * which case the name is that of the first process's trace; EAGAIN while there is nothing to say.
 */
int jail_stage(struct jail_buffer *a, const char *place, char *directory);

/* The same for a buffer's path, for who recovers. */
int jail_stage_path(const char *path, const char *place, char *directory);

/* Appends the text that the metadata has not yet. Returns 0 or an errno. *changed: it had not. */
int jail_stage_text(const struct jail_buffer *a, int directory, bool *changed);

#endif
