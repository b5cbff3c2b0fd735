/* SPDX-License-Identifier: MIT */
/* See open.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/open.h"

int waymark_above_standard(int fd)
{
	if (fd < 0 || fd > STDERR_FILENO) {
		return fd;
	}
	int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int why = errno;

	syscall(SYS_close, fd);
	errno = why;
	return high;
}

int waymark_open_at(int directory, const char *path, int flags, unsigned int mode)
{
	return waymark_above_standard(
		(int)syscall(SYS_openat, directory, path, flags | O_CLOEXEC | O_NOCTTY, mode));
}

int waymark_open(const char *path, int flags, unsigned int mode)
{
	return waymark_open_at(AT_FDCWD, path, flags, mode);
}
