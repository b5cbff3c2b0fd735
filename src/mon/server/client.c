/* SPDX-License-Identifier: MIT */
/*
 * A client's input, session and output. Calls to the session run in the monitor's worker, which has
 * the program's descriptors; without a worker, in the caller.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mon/server/client.h"
#include "mon/server/server.h"
#include "mon/server/worker.h"
#include "mon/session/session.h"
#include "rt/host/open.h"

/* Limit of waiting output; an answer that exceeds it closes the client. */
#define OUTPUT_MAX (16u << 20)

/* Bytes of waiting output that delay further input. */
#define OUTPUT_ENOUGH (64u << 10)

/* ---- In the worker ---- */

static bool make_room(struct client *c, size_t size)
{
	size_t room = c->output_room ? c->output_room : 4096;

	if (size > OUTPUT_MAX - c->output_size) {
		return false;
	}
	while (room < c->output_size + size) {
		room *= 2;
	}
	char *grown = room == c->output_room ? c->output : realloc(c->output, room);

	if (!grown) {
		return false;
	}
	c->output = grown;
	c->output_room = room;
	return true;
}

/*
 * Takes a part of an answer. Returns 0, which is an error of the stream, if the answer is too long.
 * Ignores another thread's call: glibc's exit() flushes all streams, without their locks.
 */
static ssize_t take_answer(void *cookie, const char *bytes, size_t size)
{
	struct client *c = cookie;

	if (!pthread_equal(c->answering, pthread_self())) {
		return (ssize_t)size;
	}
	if (c->dead || !make_room(c, size)) {
		c->dead = true;
		return 0;
	}
	memcpy(c->output + c->output_size, bytes, size);
	c->output_size += size;
	return (ssize_t)size;
}

static FILE *open_answer(struct client *c)
{
	c->answering = pthread_self();
	FILE *out = fopencookie(c, "w", (cookie_io_functions_t){ .write = take_answer });

	c->dead |= !out;
	return out;
}

static void begin_session(void *of)
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

/* Feeds the session one line at a time, so that too much output stops it between two commands. */
static void feed_session(void *of)
{
	struct client *c = of;
	FILE *out = open_answer(c);

	while (!c->dead && c->answered < c->input_size && c->output_size < OUTPUT_ENOUGH) {
		const char *line = c->input + c->answered;
		size_t size = c->input_size - c->answered;
		const char *end = memchr(line, '\n', size);

		size = end ? (size_t)(end + 1 - line) : size;
		c->answered += size;
		if (session_feed(c->session, line, size, out)) {
			c->answered = c->input_size;
			c->last = true;
		}
		fflush(out);
	}
	if (out) {
		fclose(out);
	}
}

static void end_session(void *of)
{
	struct client *c = of;

	session_destroy(c->session);
	c->session = NULL;
}

/* ---- In the thread that drives the monitor ---- */

static bool is_again(int error)
{
	return error == EAGAIN || error == EINTR;
}

static bool has_output(const struct client *c)
{
	return c->sent < c->output_size;
}

static bool has_input(const struct client *c)
{
	return c->answered < c->input_size;
}

static void send_output(struct client *c)
{
	const struct watch *to = c->out.fd >= 0 ? &c->out : &c->in;

	while (has_output(c)) {
		ssize_t n =
			io_write(to->fd, to->socket, c->output + c->sent, c->output_size - c->sent);

		if (n < 0) {
			c->dead |= !is_again(errno);
			return;
		}
		c->sent += (size_t)n;
		c->used_ns = clock_now_ns();
	}
	/* Frees the memory, as output rarely has to wait. */
	free(c->output);
	c->output = NULL;
	c->sent = c->output_size = c->output_room = 0;
}

static void read_input(struct client *c)
{
	/* Input of a terminal whose foreground is another job is not for the monitor. */
	if (!c->in.socket && io_is_background(c->in.fd)) {
		c->paused = true;
		server_retry_later(c->monitor);
		return;
	}
	ssize_t n = io_read(c->in.fd, c->in.socket, c->input, sizeof(c->input));

	if (n > 0) {
		c->used_ns = clock_now_ns();
		c->answered = 0;
		c->input_size = (size_t)n;
	} else if (n == 0) {
		c->last = true;
	} else {
		c->dead |= !is_again(errno);
	}
}

/* Answers input until output has to wait. */
static void answer(struct client *c)
{
	while (!c->dead && has_input(c) && !has_output(c)) {
		worker_run(c->monitor->worker, feed_session, c);
		send_output(c);
	}
}

static void wait_for_events(struct client *c)
{
	uint32_t in = has_output(c) || c->paused ? 0 : EPOLLIN;
	uint32_t out = has_output(c) ? EPOLLOUT : 0;
	int epoll = c->monitor->epoll;
	int result;

	if (c->out.fd < 0) {
		result = watch_set(epoll, &c->in, in | out);
	} else {
		result = watch_set(epoll, &c->in, in) | watch_set(epoll, &c->out, out);
	}
	c->dead |= result != 0;
}

void client_work(struct client *c)
{
	send_output(c);
	answer(c);
	if (!c->dead && !c->last && !c->paused && !has_input(c) && !has_output(c)) {
		read_input(c);
		answer(c);
	}
	if (c->last && !has_input(c) && !has_output(c)) {
		c->dead = true;
	}
	if (!c->dead) {
		wait_for_events(c);
	}
}

bool client_is_idle(const struct client *c, uint64_t before_ns)
{
	return !c->dead && c->used_ns < before_ns && !session_holds(c->session) &&
	       (has_output(c) || !io_has_input(c->in.fd));
}

void client_dismiss(struct client *c, const char *line)
{
	if (!has_output(c)) {
		io_write(c->in.fd, c->in.socket, line, strlen(line));
	}
	c->dead = true;
}

static void ready(struct waymark_monitor *m, struct watch *w)
{
	struct client *c = w->of;

	(void)m;
	if (!c->dead) {
		client_work(c);
	}
}

static bool is_socket(int fd)
{
	struct stat st;

	return fd >= 0 && waymark_stat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

struct client *client_create(struct waymark_monitor *m, int in, int out)
{
	struct client *c = calloc(1, sizeof(*c));

	if (!c || in < 0) {
		waymark_close(in);
		waymark_close(out);
		free(c);
		return NULL;
	}
	c->monitor = m;
	c->used_ns = clock_now_ns();
	watch_init(&c->in, in, ready, c);
	watch_init(&c->out, out, ready, c);
	c->in.socket = is_socket(in);
	c->out.socket = is_socket(out);
	worker_run(m->worker, begin_session, c);
	send_output(c);
	if (!c->dead) {
		wait_for_events(c);
	}
	if (c->dead) {
		client_destroy(c);
		return NULL;
	}
	return c;
}

void client_destroy(struct client *c)
{
	if (!c) {
		return;
	}
	worker_run(c->monitor->worker, end_session, c);
	watch_close(c->monitor->epoll, &c->in);
	watch_close(c->monitor->epoll, &c->out);
	free(c->output);
	free(c);
}
