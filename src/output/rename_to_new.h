/* SPDX-License-Identifier: MIT */
/* A rename that replaces nothing, for C libraries that have no function for it. */
#ifndef OUTPUT_RENAME_TO_NEW_H
#define OUTPUT_RENAME_TO_NEW_H

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns 0; -1 with errno: EEXIST, or EINVAL where the file system has none. */
static inline int rename_to_new(const char *from, const char *to)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

#endif
