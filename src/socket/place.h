/* SPDX-License-Identifier: MIT */
/* The directories where the default sockets of a user may lie; of another than us for root. */
#ifndef SOCKET_PLACE_H
#define SOCKET_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How many places there are. */
#define PLACES 4

/* Fills `path` with the place `n` of a user; false where there is none, or no room. */
bool socket_place(unsigned int n, uid_t user, char *path, size_t size);

#endif
