/* SPDX-License-Identifier: MIT */
/* Sockets of other users' processes, for root. */
#ifndef SOCKET_OTHERS_H
#define SOCKET_OTHERS_H

#include <stddef.h>
#include <sys/types.h>

/* Fills `path` with the living socket of another user's process. Returns 0, or -1: none. */
int socket_find_theirs(pid_t pid, char *path, size_t size);

#endif
