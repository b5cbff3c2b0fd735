/* SPDX-License-Identifier: MIT */
/* See descriptors.h. */
#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
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
 * Every descriptor that the writer inherits is closed in its table, so that who
 * waits for the end of a pipe sees it. A sanitizer reports on standard error,
 * from whichever thread finds something.
 */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define KEPT_FD STDERR_FILENO
#else
#define KEPT_FD (-1)
#endif

/* Closes the descriptors of a table that is the thread's alone. */
static void close_all(void)
{
	DIR *dir = opendir("/proc/thread-self/fd");

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		int fd = atoi(entry->d_name);

		if (*entry->d_name != '.' && fd != KEPT_FD && fd != dirfd(dir)) {
			close(fd);
		}
	}
	if (dir) {
		closedir(dir);
	}
}

/* Closes those above the kept one, in a table that becomes the thread's alone, and those below. */
static bool close_ranges(void)
{
	return syscall(SYS_close_range, KEPT_FD + 1, ~0u, CLOSE_RANGE_UNSHARE) == 0 &&
	       (KEPT_FD <= 0 || syscall(SYS_close_range, 0, KEPT_FD - 1, 0) == 0);
}

void waymark_own_descriptors(void)
{
	if (!close_ranges() && unshare(CLONE_FILES) == 0) {
		close_all();
	}
}
