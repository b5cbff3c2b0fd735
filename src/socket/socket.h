/* SPDX-License-Identifier: MIT */
/*
 * Control sockets: where they lie and who may use them, for the program that
 * listens and for the command that connects.
 *
 * It runs inside of traced programs: nothing here ends the program, prints,
 * keeps state or allocates, but socket_walk*(), which are for the command. What is
 * opened is closed by exec and never stands in the place of a standard stream.
 *
 * Any thread may call any of it at any time, signal handlers may not. Errors
 * are one line of text without a newline, cut to `size` bytes with its NUL.
 *
 * What is built on, of Linux:
 *   unix(7)    a name takes at most 107 bytes; bind makes the file and never
 *              follows or replaces what is there; connect is refused when nobody
 *              listens, and a non-blocking one ends with EAGAIN, not EINPROGRESS,
 *              when the queue is full; SO_PEERCRED of a connection tells who
 *              connected, and who called listen()
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

/* Room for the longest path that is taken, with its NUL. Small: threads have small stacks. */
#define SOCKET_PATH_SIZE 1024

/* Room for the longest error. */
#define SOCKET_ERROR_SIZE (SOCKET_PATH_SIZE + 256)

/* The file of a socket that listens: what socket_remove() may remove. */
struct socket_file {
	char path[SOCKET_PATH_SIZE]; /* absolute */
	dev_t device;
	ino_t inode;
	pid_t process; /* who made it: a child of fork did not */
};

/*
 * Fills `path` (of `size` bytes) with the directory of this user's sockets, the
 * effective one's. It is the first of
 *	$XDG_RUNTIME_DIR/waymark	not in a set-uid program
 *	/run/user/UID/waymark
 *	/run/waymark			for root
 *	/tmp/waymark-UID
 * whose parent is there and is safe: the first two belong to this user and nobody
 * else may write to them, /run belongs to root. The directory itself may be
 * missing, or turn out to be unsafe: socket_listen() makes it and looks.
 *
 * Returns 0, or -1 with errno ENAMETOOLONG.
 */
int socket_directory(char *path, size_t size);

/*
 * Makes a socket and listens. `path` is where; `%d` in it stands for the pid, no
 * other `%` may. NULL: <pid>.sock in the default directory, which is made where
 * it is missing. `file`, unless NULL, gets what socket_remove() needs.
 *
 * The default directory must be a directory, no symbolic link, ours, and nobody
 * else may write to it. That of a `path` belongs to us or to root, and not
 * everybody may write to it, sticky or not; it may be reached by symbolic links.
 * The socket's file has mode 0600 from its first moment, whatever the umask.
 * Where the name is taken by a socket of ours that refuses connections, its
 * program has ended: it is removed. Anything else stays, and is an error. This
 * happens under a lock (flock) of the directory, which is waited for at most 2 s.
 *
 * Returns the listening socket, non-blocking, or -1 with `error`.
 */
int socket_listen(const char *path, struct socket_file *file, char *error, size_t size);

/*
 * Removes the file of a socket that listens, if it is still the one that was
 * made, and by this process. To be called before the socket is closed: as long
 * as it is open the file's number is nobody else's, and no other program of ours
 * takes the file for a stale one.
 *
 * Returns 0 also where there is nothing of ours to remove, as when `file` is all
 * zero, or -1 with errno.
 */
int socket_remove(const struct socket_file *file);

/*
 * Connects to the socket `path`, which is taken as it is. Its directory must be
 * as socket_listen() has it; it must be a socket, no symbolic link to one; and
 * ours or root's must be the program that listens. While its queue is full it is
 * tried again for `timeout_ms` milliseconds; 0 and less: once.
 *
 * Root connects to other users' sockets, too: directory, socket and the program that
 * listens must be one user's, and nobody else may write to the directory.
 *
 * Returns the connected socket, blocking, or -1 with `error`.
 */
int socket_connect(const char *path, int timeout_ms, char *error, size_t size);

/*
 * Whether the other end of a connected socket is a process of our effective
 * user's, or of root's (SO_PEERCRED: as it was when it connected or listened).
 * False for what is no AF_UNIX socket.
 */
bool socket_peer_is_us(int fd);

/*
 * Fills `path` with the socket of the process `pid` in the directories where
 * default sockets may lie: one that listens. For root also where those of the
 * process's user lie, but for an $XDG_RUNTIME_DIR of its own.
 *
 * Returns 0, or -1: there is none.
 */
int socket_find(pid_t pid, char *path, size_t size);

/* A living socket: it listens, full queue or not. Other than 0: the walk ends with that. */
typedef int socket_visit(pid_t pid, const char *path, void *argument);

/*
 * Calls back for each living <pid>.sock of the directories where default sockets
 * may lie, in no order, and removes stale ones. All the directories of
 * socket_directory(), not only the first: a program that was started before its
 * user's $XDG_RUNTIME_DIR was there has its socket in another one. Living means
 * that a connection succeeds: each listener sees one that ends at once.
 *
 * Returns 0, what the callback returned, or -1 with `error`: a directory could
 * not be used, the others were.
 */
int socket_walk(socket_visit *visit, void *argument, char *error, size_t size);

/*
 * For root: calls back for each process of another user that has a living socket where
 * its user's lie. For all others it does nothing. Returns 0, or what the callback returned.
 */
int socket_walk_others(socket_visit *visit, void *argument);

#endif
