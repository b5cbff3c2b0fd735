/* SPDX-License-Identifier: MIT */
/*
 * A socket's path, taken apart: an open directory and a name in it. The path is
 * absolute, so that it stays true when the program changes its directory.
 */
#ifndef SOCKET_TARGET_H
#define SOCKET_TARGET_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "socket/fail.h"
#include "socket/socket.h"

struct target {
	int directory; /* open, and checked */
	uid_t owner; /* of the directory */
	int file; /* the socket, open as a path: only another user's, for root; else -1 */
	char path[SOCKET_PATH_SIZE];
	size_t name; /* where in `path` it begins */
};

/* <pid>.sock of this process, in the default directory. Returns 0, or -1 with the error. */
int socket_target_default(struct target *t, const struct fail *f);

/*
 * A path that was given. `expand`: with %d, and the directory can be locked, as to
 * listen takes. Returns 0, or -1 with the error.
 */
int socket_target_given(struct target *t, const char *path, bool expand, const struct fail *f);

/*
 * Opens the socket of a directory of another user's: root, who may do all, connects to
 * nothing that the user could put in its place meanwhile. Returns 0, or -1 with the error.
 */
int socket_target_open_theirs(struct target *t, const struct fail *f);

/* Whether the directory is another user's than ours or root's. */
bool socket_target_is_theirs(const struct target *t);

void socket_target_close(struct target *t);

static inline const char *socket_target_name(const struct target *t)
{
	return t->path + t->name;
}

/* The address for bind and connect. Returns 0, or -1 with the error: the name is too long. */
int socket_target_address(
	const struct target *t, struct sockaddr_un *address, const struct fail *f);

#endif
