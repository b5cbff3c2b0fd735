/* SPDX-License-Identifier: MIT */
/* See table.h. */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mon/server/io.h"
#include "mon/server/table.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* A sanitizer reports on standard error, from whichever thread finds something. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define KEEPS_STDERR true
#else
#define KEEPS_STDERR false
#endif

static bool is_kept(int fd, int low, int high)
{
	return fd == low || fd == high || (KEEPS_STDERR && fd == STDERR_FILENO);
}

/* What lies below what is kept, one by one: it is little, or the system lacks the call for all. */
static void close_below(int end, int low, int high)
{
	for (int fd = 0; fd < end; fd++) {
		if (!is_kept(fd, low, high)) {
			io_close(fd);
		}
	}
}

static void close_listed(int low, int high)
{
	DIR *dir = opendir("/proc/thread-self/fd");

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		int fd = atoi(entry->d_name);

		if (*entry->d_name != '.' && fd != dirfd(dir) && !is_kept(fd, low, high)) {
			io_close(fd);
		}
	}
	if (dir) {
		closedir(dir);
	}
}

int table_make_own(int low, int high)
{
	int last = high > low ? high : low;

	if (KEEPS_STDERR && last < STDERR_FILENO) {
		last = STDERR_FILENO;
	}
	if (syscall(SYS_close_range, last + 1, ~0u, CLOSE_RANGE_UNSHARE) == 0) {
		close_below(last, low, high);
		return 0;
	}
	if (unshare(CLONE_FILES)) {
		return -1;
	}
	close_listed(low, high);
	return 0;
}

/* Nothing that is written to a standard stream by mistake may reach a client. */
static void cover(int fd)
{
	int other = io_ready();

	if (other >= 0) {
		syscall(SYS_dup3, other, fd, O_CLOEXEC);
		io_close(other);
	}
}

void table_settle(int low, int high)
{
	io_close(low);
	io_close(high);
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (!KEEPS_STDERR || fd != STDERR_FILENO) {
			cover(fd);
		}
	}
}
