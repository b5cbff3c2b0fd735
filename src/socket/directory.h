/* SPDX-License-Identifier: MIT */
/*
 * The directory that a socket lies in: opened once and looked at through its
 * descriptor, so that what was checked is what is used.
 */
#ifndef SOCKET_DIRECTORY_H
#define SOCKET_DIRECTORY_H

#include <stdbool.h>

#include "socket/fail.h"

/*
 * Opens a default directory: ours alone. `make`: makes it where it is missing.
 * Returns a descriptor, or -1 with the error, and errno ENOENT where it is missing.
 */
int socket_open_default(const char *path, bool make, const struct fail *f);

/*
 * Opens the directory of a path that was given: ours or root's. `flags`: O_RDONLY,
 * where it is to be locked, or O_PATH. Returns a descriptor, or -1 with the error.
 */
int socket_open_given(const char *path, int flags, const struct fail *f);

/* Locks an open directory against the others of us. Returns 0, or -1 with the error: 2 s are over.
 */
int socket_lock(int directory, const char *path, const struct fail *f);

void socket_unlock(int directory);

#endif
