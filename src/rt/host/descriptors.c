/* SPDX-License-Identifier: MIT */
/* See descriptors.h. */
#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/descriptors.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/*
 * Every descriptor that the writer inherits is closed in its table. A sanitizer
 * reports on standard error, from whichever thread finds something.
 */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FIRST_FOREIGN_FD 3
#else
#define FIRST_FOREIGN_FD 0
#endif

/* Closes all descriptors of a table that is the thread's alone. */
static void close_all(void)
{
	DIR *dir = opendir("/proc/thread-self/fd");

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		int fd = atoi(entry->d_name);

		if (fd >= FIRST_FOREIGN_FD && fd != dirfd(dir)) {
			close(fd);
		}
	}
	if (dir) {
		closedir(dir);
	}
}

void waymark_own_descriptors(void)
{
	if (syscall(SYS_close_range, FIRST_FOREIGN_FD, ~0u, CLOSE_RANGE_UNSHARE) == 0) {
		return;
	}
	if (unshare(CLONE_FILES) == 0) {
		close_all();
	}
}
