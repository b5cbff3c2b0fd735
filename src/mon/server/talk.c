/* SPDX-License-Identifier: MIT */
/* See talk.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mon/server/client.h"
#include "mon/server/server.h"
#include "mon/session/session.h"
#include "mon/server/talk.h"
#include "mon/server/worker.h"

/* With so much to send, what else was said is heard later. */
#define UNSENT_ENOUGH (64u << 10)

static bool make_room(struct client *c, size_t size)
{
	size_t room = c->unsent_room ? c->unsent_room : 4096;

	if (size > TALK_UNSENT_MAX - c->unsent_size) {
		return false;
	}
	while (room < c->unsent_size + size) {
		room *= 2;
	}
	char *grown = room == c->unsent_room ? c->unsent : realloc(c->unsent, room);

	if (!grown) {
		return false;
	}
	c->unsent = grown;
	c->unsent_room = room;
	return true;
}

/* Part of an answer. Returns 0 where it is too long, which is the stream's error. */
static ssize_t take_answer(void *cookie, const char *bytes, size_t size)
{
	struct client *c = cookie;

	if (c->dead || !make_room(c, size)) {
		c->dead = true;
		return 0;
	}
	memcpy(c->unsent + c->unsent_size, bytes, size);
	c->unsent_size += size;
	return (ssize_t)size;
}

static FILE *open_answer(struct client *c)
{
	FILE *out = fopencookie(c, "w", (cookie_io_functions_t){ .write = take_answer });

	if (!out) {
		c->dead = true;
	}
	return out;
}

static void begin(void *of)
{
	struct client *c = of;
	FILE *out = open_answer(c);

	c->session = out ? session_create(&c->monitor->options) : NULL;
	if (!c->session) {
		c->dead = true;
	} else if (session_greet(c->session, out)) {
		c->last = true;
	}
	if (out) {
		fclose(out);
	}
}

/* Up to the end of the line; a session takes half a line as well. */
static size_t next_piece(const struct client *c)
{
	const char *rest = c->said + c->heard;
	size_t size = c->said_size - c->heard;
	const char *end = memchr(rest, '\n', size);

	return end ? (size_t)(end + 1 - rest) : size;
}

static void go_on(void *of)
{
	struct client *c = of;
	FILE *out = open_answer(c);

	while (!c->dead && c->heard < c->said_size && c->unsent_size < UNSENT_ENOUGH) {
		size_t piece = next_piece(c);

		c->heard += piece;
		if (session_feed(c->session, c->said + c->heard - piece, piece, out)) {
			c->heard = c->said_size;
			c->last = true;
		}
		fflush(out);
	}
	if (out) {
		fclose(out);
	}
}

static void end(void *of)
{
	struct client *c = of;

	session_destroy(c->session);
	c->session = NULL;
}

void talk_begin(struct client *c)
{
	worker_run(c->monitor->worker, begin, c);
}

void talk_go_on(struct client *c)
{
	worker_run(c->monitor->worker, go_on, c);
}

void talk_end(struct client *c)
{
	worker_run(c->monitor->worker, end, c);
}
