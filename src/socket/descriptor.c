/* SPDX-License-Identifier: MIT */
/* See descriptor.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "socket/descriptor.h"
#include "socket/socket.h"

/* Linux 6.6; the same number everywhere but on alpha. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

void socket_close(int fd)
{
	int why = errno;

	if (fd >= 0) {
		syscall(SYS_close, fd);
	}
	errno = why;
}

int socket_above_standard(int fd)
{
	if (fd < 0 || fd > STDERR_FILENO) {
		return fd;
	}
	int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	socket_close(fd);
	return high;
}

int socket_open_at(int directory, const char *path, int flags)
{
	return socket_above_standard(
		(int)syscall(SYS_openat, directory, path, flags | O_CLOEXEC | O_NOCTTY, 0));
}

int socket_create(void)
{
	return socket_above_standard(
		(int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

int socket_bind(int fd, const struct sockaddr_un *address)
{
	return (int)syscall(SYS_bind, fd, address, sizeof(*address));
}

int socket_queue(int fd, int length)
{
	return (int)syscall(SYS_listen, fd, length);
}

int socket_try(int fd, const struct sockaddr_un *address)
{
	return (int)syscall(SYS_connect, fd, address, sizeof(*address));
}

int socket_stat(int fd, struct stat *st)
{
	return fstatat(fd, "", st, AT_EMPTY_PATH);
}

int socket_chmod(int fd, unsigned int mode)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
	if (chmod(path, mode) == 0) {
		return 0;
	}
	return (int)syscall(SYS_fchmodat2, fd, "", mode, AT_EMPTY_PATH); /* no /proc */
}
