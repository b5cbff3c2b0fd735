/* SPDX-License-Identifier: MIT */
/*
 * Opening a file of ours in the traced program: never in the place of a
 * standard stream that the program has closed, and never inherited by exec.
 * No state: the monitor and the control sockets have copies of their own.
 */
#ifndef RT_HOST_OPEN_H
#define RT_HOST_OPEN_H

#include <fcntl.h>
#include <sys/stat.h>

/*
 * As open(2), with O_CLOEXEC and O_NOCTTY. A direct system call: no point of
 * cancellation, and no sanitizer keeps book about it. Returns -1 with errno.
 * Any thread, any signal handler.
 */
int waymark_open(const char *path, int flags, unsigned int mode);

/* The same below an open directory, or AT_FDCWD. */
int waymark_open_at(int directory, const char *path, int flags, unsigned int mode);

/*
 * Takes a descriptor over and returns it, or a copy in the place of no standard
 * stream. -1 stays -1. Any thread, any signal handler.
 */
int waymark_above_standard(int fd);

/*
 * As close(2), and as direct as waymark_open(). -1 is nothing; errno stays. Any
 * thread, any signal handler.
 */
void waymark_close(int fd);

/* fstat() in the form that sanitizers keep no book about: a thread may have its own descriptors. */
static inline int waymark_stat(int fd, struct stat *st)
{
	return fstatat(fd, "", st, AT_EMPTY_PATH);
}

#endif
