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
#include <stdint.h>

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
	uint64_t used_ns; /* when bytes were last read or written, CLOCK_MONOTONIC */
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

/*
 * Whether an accepted client may be closed for another: it holds nothing, no byte was read
 * from it or written to it since `before_ns`, and it waits for nothing but, perhaps, its own
 * reading of answers.
 */
bool client_is_idle(const struct client *c, uint64_t before_ns);

/* Sends a last line, if the client has taken all before it, and closes at the turn's end. */
void client_dismiss(struct client *c, const char *line);

/* Ends the conversation. NULL is legal. */
void client_destroy(struct client *c);

#endif
