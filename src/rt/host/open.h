/* SPDX-License-Identifier: MIT */
/*
 * Opening a file of ours in the traced program: never in the place of a
 * standard stream that the program has closed, and never inherited by exec.
 */
#ifndef RT_HOST_OPEN_H
#define RT_HOST_OPEN_H

/*
 * As open(2), with O_CLOEXEC and O_NOCTTY. A direct system call: no point of
 * cancellation, and no sanitizer keeps book about it. Returns -1 with errno.
 * Any thread, any signal handler.
 */
int waymark_open(const char *path, int flags, unsigned int mode);

#endif
