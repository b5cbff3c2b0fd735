/* SPDX-License-Identifier: MIT */
/* Renaming, as a plain system call: safe in any context. Some architectures have the newer call
 * alone. */
#ifndef RT_HOST_RENAME_H
#define RT_HOST_RENAME_H

#include <sys/syscall.h>
#include <unistd.h>

/* As renameat(2). Any thread, any signal handler. */
static inline int waymark_rename(
	int from_directory, const char *from, int to_directory, const char *to)
{
#ifdef SYS_renameat
	return (int)syscall(SYS_renameat, from_directory, from, to_directory, to);
#else
	return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 0);
#endif
}

#endif
