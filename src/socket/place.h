/* SPDX-License-Identifier: MIT */
/* The directories where the default sockets of a user may lie. */
#ifndef SOCKET_PLACE_H
#define SOCKET_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* How many places there are. */
#define PLACES 4

/* Fills `path` with the place `n`; false where there is none, or no room. */
bool socket_place(unsigned int n, char *path, size_t size);

#endif
