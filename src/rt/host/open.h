/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes files of ours in the traced program: never as a standard stream that the
 * program has closed, and never inherited by exec. No state: the monitor and the control sockets
 * link copies.
 */
#ifndef RT_HOST_OPEN_H
#define RT_HOST_OPEN_H

#include <fcntl.h>
#include <sys/stat.h>

/*
 * As open(2), with O_CLOEXEC and O_NOCTTY. A direct system call: no cancellation point, and
 * sanitizers do not record the descriptor. Returns -1 with errno. Any thread, any signal handler.
 */
int waymark_open(const char *path, int flags, unsigned int mode);

/* The same below an open directory, or AT_FDCWD. */
int waymark_open_at(int directory, const char *path, int flags, unsigned int mode);

/*
 * Takes a descriptor over and returns it, or where it is 0 to 2 a copy above these, and closes it.
 * -1 stays -1. Any thread, any signal handler.
 */
int waymark_above_standard(int fd);

/*
 * As close(2), as direct as waymark_open(). Ignores -1, keeps errno. Any thread, any signal
 * handler.
 */
void waymark_close(int fd);

/* As fstat(2), in a form that sanitizers do not check: a thread may have descriptors of its own. */
static inline int waymark_stat(int fd, struct stat *st)
{
	return fstatat(fd, "", st, AT_EMPTY_PATH);
}

#endif
