/* SPDX-License-Identifier: MIT */
/*
 * A byte stream between a guest and its host: a virtio-serial port or another serial line, or a
 * UNIX socket, and lines of text over it. One thread.
 */
#ifndef CMD_SYNC_PORT_H
#define CMD_SYNC_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#define PORT_LINE_SIZE 256

struct port {
	int fd;
	bool is_terminal;
	struct termios mode; /* of the terminal, before it was opened */
	size_t count; /* bytes received and not yet returned */
	char bytes[PORT_LINE_SIZE];
};

/*
 * Opens the file or connects to the socket, and ignores SIGPIPE. Returns 0, ENOTTY for another type
 * of file, which gets no byte, or another errno.
 */
int port_open(struct port *p, const char *path);
void port_close(struct port *p);

/* Sends a line, given with its newline. Returns 0 or an errno. */
int port_send(struct port *p, const char *line);

/*
 * Waits at most `ms` milliseconds (-1: for ever) for a line; copies it without its newline. A line
 * of PORT_LINE_SIZE bytes or more is cut into several. Returns 0, ETIMEDOUT, EPIPE if the other
 * side has closed the port, or another errno.
 */
int port_receive(struct port *p, char line[PORT_LINE_SIZE], int ms);

#endif
