/* SPDX-License-Identifier: MIT */
/*
 * One client of a monitor: its descriptors, its session, unanswered input and unsent output. While
 * output waits, no input is read, so a client that does not read delays only itself. All functions
 * need the monitor's lock (see server.h).
 */
#ifndef MON_CLIENT_H
#define MON_CLIENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mon/server/io.h"

struct monitor_session;
struct waymark_monitor;

struct client {
	struct waymark_monitor *monitor;
	struct client *next;
	struct monitor_session *session;
	struct watch in;
	struct watch out; /* not open if `in` serves both */
	bool paused; /* until the timer of the monitor */
	bool last; /* no more input: close it when all is answered and sent */
	bool dead; /* server_work() will close it */
	uint64_t used_ns; /* when bytes were last read or written, CLOCK_MONOTONIC */
	pthread_t answering; /* the thread that writes the present answer */
	size_t answered; /* bytes of `input` that were answered */
	size_t input_size;
	char *output;
	size_t sent; /* bytes of `output` that were sent */
	size_t output_size;
	size_t output_room;
	char input[4096];
};

/*
 * Creates a session and sends the greeting. Takes ownership of the descriptors, even on failure.
 * `out` -1: the same as `in`. Returns NULL without memory or descriptors.
 */
struct client *client_create(struct waymark_monitor *m, int in, int out);

/* Reads, answers and sends as much as possible without waiting. May leave the client dead. */
void client_work(struct client *c);

/*
 * True if a client may be closed for another one: no session holds events, no byte was read or
 * written since `before_ns`, and nothing is pending except output that the client does not read.
 */
bool client_is_idle(const struct client *c, uint64_t before_ns);

/* Sends a last line, if all output before it is sent, and leaves the client dead. */
void client_dismiss(struct client *c, const char *line);

/* Ends the session and closes the client. NULL is legal. */
void client_destroy(struct client *c);

#endif
