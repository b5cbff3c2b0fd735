/* SPDX-License-Identifier: MIT */
/*
 * The directory that a socket lies in: opened once and looked at through its
 * descriptor, so that what was checked is what is used.
 */
#ifndef SOCKET_DIRECTORY_H
#define SOCKET_DIRECTORY_H

#include <stdbool.h>
#include <sys/types.h>

#include "socket/fail.h"

/*
 * Opens a default directory: ours alone. `make`: makes it where it is missing.
 * Returns a descriptor, or -1 with the error, and errno ENOENT where it is missing.
 */
int socket_open_default(const char *path, bool make, const struct fail *f);

/*
 * Opens the directory of a path that was given: ours or root's. `to_listen`: such that it
 * can be locked. Otherwise, for root, also another user's to which nobody else may write.
 * Returns a descriptor, or -1 with the error; `owner` gets whose it is.
 */
int socket_open_given(const char *path, bool to_listen, uid_t *owner, const struct fail *f);

/* Opens a default directory of another user, for root; nothing of it is changed. As above. */
int socket_open_theirs(const char *path, uid_t owner, const struct fail *f);

/*
 * Locks an open directory against the others of us. Returns 0, or -1 with the error:
 * 2 s are over.
 */
int socket_lock(int directory, const char *path, const struct fail *f);

void socket_unlock(int directory);

#endif
