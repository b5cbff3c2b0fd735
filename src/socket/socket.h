/* SPDX-License-Identifier: MIT */
/*
 * Control sockets: their places and the users that may use them, for the program that listens and
 * for the command that connects.
 *
 * The code runs inside traced programs: no function ends the program, prints, keeps state or
 * allocates, except socket_walk*(), which only the command calls. Descriptors are closed by exec
 * and never replace a standard stream.
 *
 * Any thread may call any function; signal handlers may not. Errors are one line of text without a
 * newline, cut to `size` bytes with its NUL.
 *
 * Relies on these facts of Linux:
 *   unix(7)    a name takes at most 107 bytes; bind makes the file and never
 *              follows or replaces a file; connect is refused when no process
 *              listens, and a non-blocking one ends with EAGAIN, not EINPROGRESS,
 *              when the queue is full; SO_PEERCRED of a connection names the
 *              process that connected, and the one that called listen()
 *   fchmod(2)  on a socket before bind sets the mode that its file gets, less
 *              the umask: the file never has a wider one
 *   flock(2)   belongs to the open file, which a child of fork shares: unlocking
 *              frees it for all
 *   an inode's number is not given to another file while a socket is bound to it
 *   proc(5)    /proc/thread-self/fd/N leads to an open directory, whatever its
 *              path: for paths longer than a socket's name may be, and with the
 *              descriptors of the calling thread, should it have its own
 */
#ifndef SOCKET_SOCKET_H
#define SOCKET_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Bytes of the longest path, with its NUL. Small, as threads have small stacks. */
#define SOCKET_PATH_SIZE 1024

/* Bytes of the longest error. */
#define SOCKET_ERROR_SIZE (SOCKET_PATH_SIZE + 256)

/* The file of a listening socket, which socket_remove() may remove. */
struct socket_file {
	char path[SOCKET_PATH_SIZE]; /* absolute */
	dev_t device;
	ino_t inode;
	pid_t process; /* process that made it, not a child of its fork */
};

/*
 * Fills `path` (of `size` bytes) with the directory of the effective user's sockets:
 * the first of
 *	$XDG_RUNTIME_DIR/waymark	not in a set-uid program
 *	/run/user/UID/waymark
 *	/run/waymark			for root
 *	/tmp/waymark-UID
 * whose parent exists and is safe: the first two belong to this user and nobody
 * else may write to them, /run belongs to root. The directory itself may be
 * missing or unsafe: socket_listen() makes and checks it.
 *
 * Returns 0, or -1 with errno ENAMETOOLONG.
 */
int socket_directory(char *path, size_t size);

/*
 * Makes a socket at `path` and listens. `%d` in the path is replaced by the pid, any other `%` is
 * an error. NULL means <pid>.sock in the default directory, which is made if it is missing. `file`,
 * unless NULL, gets what socket_remove() needs.
 *
 * The default directory must be a directory, no symbolic link, and ours, and no other user may
 * write to it. The directory of a `path` must belong to us or to root and must not be
 * world-writable, sticky or not; it may be reached by symbolic links. The socket's file has mode
 * 0600 from its first moment, whatever the umask. A socket of ours with that name that refuses
 * connections is removed: its program has ended. Any other file of that name is kept, and is an
 * error. All this happens under a lock (flock) of the directory, for which it waits at most 2 s.
 *
 * Returns the listening socket, non-blocking, or -1 with `error`.
 */
int socket_listen(const char *path, struct socket_file *file, char *error, size_t size);

/*
 * Removes the file of a listening socket, if this process made it and it was not replaced. Call
 * before closing the socket: while it is open, no other file gets its inode, and none of our other
 * programs treats it as stale.
 *
 * Returns 0, even if nothing is to be removed, as for a zeroed `file`, or -1 with errno.
 */
int socket_remove(const struct socket_file *file);

/*
 * Connects to the socket `path`, in which a `%` has no special meaning. Its directory must be one
 * that socket_listen() accepts; it must be a socket, no symbolic link to one; and the program that
 * listens must be ours or root's. While its queue is full, retries for `timeout_ms` milliseconds;
 * if that is 0 or less, tries once.
 *
 * Root connects to other users' sockets, too: directory, socket and listening program must belong
 * to one user, and no other user may write to the directory.
 *
 * Returns the connected socket, blocking, or -1 with `error`.
 */
int socket_connect(const char *path, int timeout_ms, char *error, size_t size);

/*
 * True if the other end of a connected socket is a process of our effective user or of root
 * (SO_PEERCRED: when it connected or listened). False for sockets other than AF_UNIX.
 */
bool socket_peer_is_us(int fd);

/*
 * Sets `path` to the socket at which process `pid` listens, in any of the default directories; for
 * root, also in those of the process's user, except its own $XDG_RUNTIME_DIR. Returns 0, or -1 if
 * there is none.
 */
int socket_find(pid_t pid, char *path, size_t size);

/*
 * Called for a socket at which a program listens. A result other than 0 ends the walk, which
 * returns it.
 */
typedef int socket_visit(pid_t pid, const char *path, void *argument);

/*
 * Calls back for each <pid>.sock in the default directories at which a program listens, in no
 * order, and removes stale ones. Visits all directories of socket_directory(), not only the first:
 * a program that was started before its user's $XDG_RUNTIME_DIR existed has its socket in another
 * one. Connects to each socket to check it: each listener gets one connection that ends
 * immediately.
 *
 * Returns 0, the result of the callback, or -1 with `error` if a directory could not be used; the
 * others were visited.
 */
int socket_walk(socket_visit *visit, void *argument, char *error, size_t size);

/*
 * Calls back, for root, for each process of another user that listens in a default directory of
 * that user. Does nothing for other users. Returns 0 or the result of the callback.
 */
int socket_walk_others(socket_visit *visit, void *argument);

#endif
