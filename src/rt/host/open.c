/* SPDX-License-Identifier: MIT */
/* Opens and closes our descriptors in the traced program: see open.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/open.h"

void waymark_close(int fd)
{
	int why = errno;

	if (fd >= 0) {
		syscall(SYS_close, fd);
	}
	errno = why;
}

int waymark_above_standard(int fd)
{
	if (fd < 0 || fd > STDERR_FILENO) {
		return fd;
	}
	int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	waymark_close(fd);
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
