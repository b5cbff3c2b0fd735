/* SPDX-License-Identifier: MIT */
/*
 * `waymark view`: a server that answers a page in a browser. Calls lead downwards:
 *
 *	waymark_view.c	the command line, the threads, the end
 *	server.c	connections and who may ask
 *	save.c		the page with its data as a file; picture.c: as PNG; kept.c: its tracks
 *	strangers.c	connections that have not shown the token
 *	answer/		the questions of the page, and their answers
 *	viewer/		the traces, and the pass that makes the levels
 *	page/		what the browser runs
 *
 * Some threads make the levels, one for each connection answers, one watches for clients that go
 * away. The lock guards the levels.
 */
#ifndef CMD_VIEW_VIEW_H
#define CMD_VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/view/viewer/viewer.h"

#define VIEW_NAME "waymark view"

/* A file of the page. */
struct view_file {
	const char *path; /* "/" is the page itself */
	const char *type;
	const char *const *lines; /* the last one is NULL */
};

extern const struct view_file view_files[]; /* ends with a NULL path */

struct view_place {
	uint16_t port; /* 0: any */
	const char *socket; /* a path instead of the port; NULL: none */
};

/* What nobody can guess: 128 random bits in hexadecimal digits. */
#define VIEW_SECRET_DIGITS 32

/* Makes a secret, with its NUL; false, with errno, without random bytes. */
bool view_make_secret(char secret[VIEW_SECRET_DIGITS + 1]);

struct view_server;

/*
 * Begins to serve. The token is what a user must show. Returns NULL, reported, if the place is
 * taken or may not be used.
 */
struct view_server *view_serve(struct viewer *v, const struct view_place *place, const char *token);

/* Return the port, 0 for a socket, and the path of the socket. */
uint16_t view_port(const struct view_server *s);
const char *view_socket(const struct view_server *s);

/* Returns the seconds since the last question; 0 while one is being answered. */
uint64_t view_idle(struct view_server *s);
void view_stop(struct view_server *s);

#endif
