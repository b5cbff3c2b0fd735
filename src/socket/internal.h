/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of this folder share. Each file uses only those before it:
 *
 *	fail.c       errors as text
 *	directory.c  directories of sockets: where, opened and checked, locked
 *	target.c     a socket's path, taken apart
 *	connect.c    connections, and sockets that are stale
 *	listen.c     sockets that listen
 *	find.c       the sockets of the default directories
 *
 * System calls on sockets are direct ones: a sanitizer keeps book of descriptors by number, and
 * the calling thread may have a table of its own. Functions that take a `struct fail` return 0 or
 * a descriptor, or -1 with the error.
 */
#ifndef SOCKET_INTERNAL_H
#define SOCKET_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/compiler.h"
#include "socket/socket.h"

/* ---- fail.c ---- */

/* The caller's buffer for the text of an error. */
struct fail {
	char *text;
	size_t size; /* 0: no buffer */
};

/* Writes one line with a `?` for each control character. Returns -1, keeps errno. */
int socket_fail(const struct fail *f, const char *format, ...) PRINTF(2, 3);

/* The same: where, what failed (NULL: omitted), and errno's text. */
int socket_fail_errno(const struct fail *f, const char *where, const char *what);

/* ---- directory.c ---- */

/* Number of places where the default directory of a user may be. */
#define PLACES 4

/*
 * Fills `path` with the default directory at place `n` of a user, another one than us for root.
 * False where that place is missing or unsafe, or does not fit.
 */
bool socket_place(unsigned int n, uid_t user, char *path, size_t size);

/*
 * Opens a default directory: ours alone. `make`: makes it where it is missing.
 * errno is ENOENT where it is missing.
 */
int socket_open_default(const char *path, bool make, const struct fail *f);

/*
 * Opens the directory of a path that was given: ours or root's. `to_listen`: so that it can be
 * locked. Otherwise root may open another user's, if nobody else may write to it.
 * `owner` gets the directory's owner.
 */
int socket_open_given(const char *path, bool to_listen, uid_t *owner, const struct fail *f);

/* Opens a default directory of another user, for root, and changes nothing in it. */
int socket_open_theirs(const char *path, uid_t owner, const struct fail *f);

/* Gives the file of a descriptor a mode, also of one that is open as a path only. -1 with errno. */
int socket_chmod(int fd, unsigned int mode);

/* Locks an open directory against other programs of ours; fails after 2 s. */
int socket_lock(int directory, const char *path, const struct fail *f);

void socket_unlock(int directory);

/* The time in `ms` milliseconds; now for 0 and less. */
int64_t socket_deadline(int ms);

/* Pauses for 5 ms, or less where a signal comes. False, and errno as it was, after the deadline. */
bool socket_wait_again(int64_t deadline);

/* ---- target.c ---- */

/*
 * A socket's path: an open directory and a name in it, so that the directory that was checked is
 * the one that is used. The path is absolute: the program may change its directory.
 */
struct target {
	int directory; /* open, and checked */
	uid_t owner; /* of the directory */
	int file; /* the socket, open as a path: only another user's, for root; else -1 */
	char path[SOCKET_PATH_SIZE];
	size_t name; /* offset in `path` */
};

/* <pid>.sock of this process, in the default directory. */
int socket_target_default(struct target *t, const struct fail *f);

/* A path that was given. `to_listen`: %d in it is the pid, and the directory can be locked. */
int socket_target_given(struct target *t, const char *path, bool to_listen, const struct fail *f);

/*
 * Opens the socket in another user's directory: so root connects to nothing that the user puts
 * in its place meanwhile.
 */
int socket_target_open_theirs(struct target *t, const struct fail *f);

/* True if the directory belongs to neither us nor root. */
bool socket_target_is_theirs(const struct target *t);

void socket_target_close(struct target *t);

static inline const char *socket_target_name(const struct target *t)
{
	return t->path + t->name;
}

/* The address for bind and connect; fails where the name is too long. */
int socket_target_address(
	const struct target *t, struct sockaddr_un *address, const struct fail *f);

/* ---- connect.c ---- */

/* A stream socket, non-blocking; -1 with errno. */
int socket_create(void);

/*
 * Connects once. Returns 0 where a program listens, full queue or not; ECONNREFUSED where the
 * socket is stale; else an errno, which leaves it unknown.
 */
int socket_probe(const struct target *t);

/*
 * Removes a stale socket of ours that has the target's name, under the lock of its directory.
 * Returns 0 where the name is free now, else -1 with the error.
 */
int socket_remove_stale(const struct target *t, const struct fail *f);

#endif
