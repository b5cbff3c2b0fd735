/* SPDX-License-Identifier: MIT */
/* Addresses at which commands listen, [ADDRESS:]PORT. */
#ifndef CMD_TCP_H
#define CMD_TCP_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Finds the address of [ADDRESS:]PORT; without ADDRESS it is of this host only, and an address of
 * IPv6 is in brackets. The caller frees it by freeaddrinfo(). False with the reason in `error`.
 */
bool tcp_find(const char *place, struct addrinfo **found, char *error, size_t size);

/* Returns a socket that listens there and does not block; -1 with the reason in `error`. */
int tcp_listen(const char *place, char *error, size_t size);

#endif
