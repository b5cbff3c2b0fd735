/* SPDX-License-Identifier: MIT */
/*
 * Descriptors in a program that is not ours: closed by exec, never 0 to 2. By
 * direct system calls: a sanitizer keeps book by number, and the calling thread
 * may have a table of its own. Functions return -1 with errno.
 */
#ifndef SOCKET_DESCRIPTOR_H
#define SOCKET_DESCRIPTOR_H

#include <sys/un.h>

/* A stream socket, non-blocking. */
int socket_create(void);

/* As bind(2), listen(2) and connect(2). */
int socket_bind(int fd, const struct sockaddr_un *address);
int socket_queue(int fd, int length);
int socket_try(int fd, const struct sockaddr_un *address);

/* Gives the file of a descriptor a mode, also of one that is open as a path only. */
int socket_chmod(int fd, unsigned int mode);

#endif
