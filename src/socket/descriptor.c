/* SPDX-License-Identifier: MIT */
/* See descriptor.h. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "socket/descriptor.h"

/* Linux 6.6; the same number everywhere but on alpha. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

int socket_create(void)
{
	return waymark_above_standard(
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

int socket_chmod(int fd, unsigned int mode)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
	if (chmod(path, mode) == 0) {
		return 0;
	}
	return (int)syscall(SYS_fchmodat2, fd, "", mode, AT_EMPTY_PATH); /* no /proc */
}
