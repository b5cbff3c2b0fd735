/* SPDX-License-Identifier: MIT */
/* Messages over a connection, whole ones. For any thread. */
#ifndef RELAY_MESSAGE_H
#define RELAY_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest request. */
#define REQUEST_MAX 64u

struct request {
	uint32_t number; /* enum live_command_number */
	size_t size; /* that of the command */
	unsigned char bytes[REQUEST_MAX];
};

/* Gives up on a connection that does not go on for some seconds in the middle of a message. */
void message_be_impatient(int fd, int seconds);

/* Receives or sends exactly `size` bytes. False: the connection has ended. */
bool message_receive(int fd, void *to, size_t size);
bool message_send(int fd, const void *from, size_t size);

/* Returns the size of a command's request; -1: there is no such command. */
int request_size(uint32_t number);

/*
 * Receives a request; sends one. False: the connection has ended, or *is_wrong, unless NULL: there
 * is no such command. The size that was sent does not count, as for lttng-relayd: Trace Compass
 * sends others.
 */
bool request_receive(int fd, struct request *r, bool *is_wrong);
bool request_send(int fd, const struct request *r);

#endif
