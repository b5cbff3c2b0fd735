/* SPDX-License-Identifier: MIT */
/*
 * One client of a monitor: its descriptors, its session, input that was not answered
 * yet and output that was not sent yet. While output waits, no input is read, so a client
 * that does not read delays only itself. All under the monitor's lock (see server.h).
 */
#ifndef MON_CLIENT_H
#define MON_CLIENT_H

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
	struct watch out; /* not open where `in` is for both */
	bool paused; /* until the timer of the monitor */
	bool last; /* no more input: closed when all is answered and sent */
	bool dead; /* server_work() closes it at its end */
	uint64_t used_ns; /* when bytes were last read or written, CLOCK_MONOTONIC */
	size_t answered; /* bytes of `input` */
	size_t input_size;
	char *output;
	size_t sent; /* bytes of `output` */
	size_t output_size;
	size_t output_room;
	char input[4096];
};

/*
 * Creates a session and greets; takes the descriptors over, also when it fails. `out` -1:
 * as `in`. Returns NULL without memory or descriptors.
 */
struct client *client_create(struct waymark_monitor *m, int in, int out);

/* Reads, answers and sends as far as it can without waiting; may leave the client dead. */
void client_work(struct client *c);

/*
 * True if a client may be closed for another one: no session holds anything, no byte was
 * read or written since `before_ns`, and it waits for nothing but that the client reads.
 */
bool client_is_idle(const struct client *c, uint64_t before_ns);

/* Sends a last line, if all output before it is sent, and leaves the client dead. */
void client_dismiss(struct client *c, const char *line);

/* Ends the session and closes the client. NULL is legal. */
void client_destroy(struct client *c);

#endif
