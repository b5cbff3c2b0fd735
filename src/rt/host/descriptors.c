/* SPDX-License-Identifier: MIT */
/* See descriptors.h. */
#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/host/descriptors.h"
#include "rt/host/open.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define NONE (~0u)

/* The lowest one of those that are kept, from a number on. */
static unsigned int next_kept(unsigned int from, int low, int high)
{
	const int kept[] = { low, high, KEEPS_STDERR ? STDERR_FILENO : -1 };
	unsigned int next = NONE;

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		unsigned int fd = (unsigned int)kept[i]; /* -1 is NONE */

		if (fd >= from && fd < next) {
			next = fd;
		}
	}
	return next;
}

static bool is_kept(int fd, int low, int high)
{
	return next_kept((unsigned int)fd, low, high) == (unsigned int)fd;
}

/*
 * Behind what is kept all at once, so that little is copied;
 * then what lies before each of these.
 */
static int close_others(int low, int high)
{
	unsigned int top = 0;
	unsigned int fd;

	for (fd = next_kept(0, low, high); fd != NONE; fd = next_kept(top, low, high)) {
		top = fd + 1;
	}
	if (syscall(SYS_close_range, top, ~0u, CLOSE_RANGE_UNSHARE)) {
		return -1;
	}
	for (unsigned int first = 0; first < top; first = fd + 1) {
		fd = next_kept(first, low, high);
		if (fd > first) {
			syscall(SYS_close_range, first, fd - 1, 0);
		}
	}
	return 0;
}

static void close_listed(int low, int high)
{
	DIR *dir = opendir("/proc/thread-self/fd");

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		int fd = atoi(entry->d_name);

		if (*entry->d_name != '.' && fd != dirfd(dir) && !is_kept(fd, low, high)) {
			waymark_close(fd);
		}
	}
	if (dir) {
		closedir(dir);
	}
}

int waymark_own_descriptors(int low, int high)
{
	if (close_others(low, high) == 0) {
		return 0;
	}
	if (unshare(CLONE_FILES)) {
		return -1;
	}
	close_listed(low, high);
	return 0;
}
