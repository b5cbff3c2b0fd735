/* SPDX-License-Identifier: MIT */
/*
 * One client of a monitor: its descriptors, what it has said and not been
 * answered yet, and what it has not taken yet. While something waits to be
 * taken, nothing is read: who reads nothing is told nothing, and held up alone.
 * All in the turn of the monitor (see server.h).
 */
#ifndef MON_CLIENT_H
#define MON_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "mon/server/watch.h"

struct session;
struct waymark_monitor;

struct client {
	struct waymark_monitor *monitor;
	struct client *next;
	struct session *session;
	struct watch in;
	struct watch out; /* not open where `in` is for both */
	bool paused; /* until the timer says so */
	bool last; /* nothing comes any more: closed when all is answered and taken */
	bool dead; /* closed at the end of the turn */
	size_t heard; /* of `said` */
	size_t said_size;
	char *unsent; /* answers */
	size_t sent; /* of these */
	size_t unsent_size;
	size_t unsent_room;
	char said[4096];
};

/*
 * Begins a conversation; takes the descriptors over, also when it fails. `out` -1:
 * as `in`. Returns NULL without memory or descriptors.
 */
struct client *client_create(struct waymark_monitor *m, int in, int out);

/* Goes on as far as it can now without waiting; then perhaps it is dead. */
void client_turn(struct client *c);

/* Ends the conversation. NULL is legal. */
void client_destroy(struct client *c);

#endif
