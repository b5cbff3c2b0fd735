/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes our files in the traced program. A descriptor never becomes a standard stream
 * that the program has closed, and exec does not inherit it. The code has no state, because the
 * monitor and the control sockets link copies.
 */
#ifndef RT_HOST_OPEN_H
#define RT_HOST_OPEN_H

#include <fcntl.h>
#include <sys/stat.h>

/*
 * Opens as open(2) does, with O_CLOEXEC and O_NOCTTY. Makes the system call directly, so it is no
 * cancellation point and sanitizers do not record the descriptor. Returns -1 with errno. Any
 * thread, any signal handler.
 */
int waymark_open(const char *path, int flags, unsigned int mode);

/* Opens in the same way below an open directory, or AT_FDCWD. */
int waymark_open_at(int directory, const char *path, int flags, unsigned int mode);

/*
 * Takes over a descriptor and returns it; if it is 0 to 2, closes it and returns a copy above 2.
 * Returns -1 for -1. Any thread, any signal handler.
 */
int waymark_above_standard(int fd);

/*
 * Closes as close(2) does, by a direct system call. Ignores -1, keeps errno. Any thread, any signal
 * handler.
 */
void waymark_close(int fd);

/*
 * As fstat(2), in a form that sanitizers do not check, because a thread may have its own table of
 * descriptors.
 */
static inline int waymark_stat(int fd, struct stat *st)
{
	return fstatat(fd, "", st, AT_EMPTY_PATH);
}

#endif
