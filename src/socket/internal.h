/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of this folder share. Each file uses only those before it:
 *
 *	directory.c  errors as text; directories of sockets: places, opening and checking, locking
 *	target.c     a socket's path, split
 *	connect.c    connections, and stale sockets
 *	listen.c     listening sockets
 *	find.c       the sockets of the default directories
 *
 * System calls on sockets are direct, as a sanitizer tracks descriptors by number, and the calling
 * thread may have its own table. Functions with a `struct fail` return 0 or a descriptor, or -1
 * with the error.
 */
#ifndef SOCKET_INTERNAL_H
#define SOCKET_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/compiler.h"
#include "socket/socket.h"

/* ---- directory.c ---- */

/* The caller's buffer for the text of an error. */
struct fail {
	char *text;
	size_t size; /* 0: no buffer */
};

/* Writes one line with a `?` for each control character. Returns -1, keeps errno. */
int socket_fail(const struct fail *f, const char *format, ...) PRINTF(2, 3);

/* Writes the place, what failed (NULL: omitted), and errno's text; returns like socket_fail(). */
int socket_fail_errno(const struct fail *f, const char *where, const char *what);

/* Number of possible places of a user's default directory. */
#define PLACES 4

/*
 * Sets `path` to the default directory at place `n` of a user; for root, the user may be another
 * one. Returns false if that place is missing or unsafe, or does not fit.
 */
bool socket_place(unsigned int n, uid_t user, char *path, size_t size);

/*
 * Opens a default directory of ours. `make`: makes it if it is missing. errno is ENOENT if it is
 * missing.
 */
int socket_open_default(const char *path, bool make, const struct fail *f);

/*
 * Opens the directory of a given path, which must be ours or root's. `to_listen`: so that it can be
 * locked. Otherwise root may open another user's, if only that user may write to it. `owner` gets
 * the directory's owner.
 */
int socket_open_given(const char *path, bool to_listen, uid_t *owner, const struct fail *f);

/* Opens a default directory of another user, for root, without changing anything in it. */
int socket_open_theirs(const char *path, uid_t owner, const struct fail *f);

/*
 * Sets the mode of a descriptor's file, even of one that is open as a path only. Returns -1 with
 * errno.
 */
int socket_chmod(int fd, unsigned int mode);

/* Locks an open directory against other programs of ours; fails after 2 s. */
int socket_lock(int directory, const char *path, const struct fail *f);

void socket_unlock(int directory);

/* Returns the time in `ms` milliseconds; the present time if `ms` <= 0. */
int64_t socket_deadline(int ms);

/*
 * Pauses for 5 ms, or less if a signal arrives. Returns false, and keeps errno, after the deadline.
 */
bool socket_wait_again(int64_t deadline);

/* ---- target.c ---- */

/*
 * A socket's path: an open directory and a name in it, so that the checked directory is the used
 * one. The path is absolute, as the program may change its directory.
 */
struct target {
	int directory; /* open and checked */
	uid_t owner; /* of the directory */
	int file; /* another user's socket, open as a path, for root; else -1 */
	char path[SOCKET_PATH_SIZE];
	size_t name; /* offset in `path` */
};

/* Sets the target to <pid>.sock of this process, in the default directory. */
int socket_target_default(struct target *t, const struct fail *f);

/*
 * Sets the target to a given path. `to_listen`: %d in it is the pid, and the directory can be
 * locked.
 */
int socket_target_given(struct target *t, const char *path, bool to_listen, const struct fail *f);

/*
 * Opens the socket in another user's directory, so that root connects to nothing that the user puts
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

/* Sets the address for bind and connect; fails if the name is too long. */
int socket_target_address(
	const struct target *t, struct sockaddr_un *address, const struct fail *f);

/* ---- connect.c ---- */

/* Creates a stream socket, non-blocking; -1 with errno. */
int socket_create(void);

/*
 * Connects once. Returns 0 if a program listens, even with a full queue; ECONNREFUSED if the socket
 * is stale; else an errno, and the state is unknown.
 */
int socket_probe(const struct target *t);

/*
 * Removes a stale socket of ours with the target's name, under the lock of its directory. Returns 0
 * if the name is free now, else -1 with the error.
 */
int socket_remove_stale(const struct target *t, const struct fail *f);

#endif
