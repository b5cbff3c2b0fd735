/* SPDX-License-Identifier: MIT */
/* See client.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "mon/server/client.h"
#include "mon/server/io.h"
#include "mon/server/server.h"
#include "mon/session/session.h"
#include "mon/server/talk.h"
#include "rt/host/open.h"

static bool is_again(int error)
{
	return error == EAGAIN || error == EINTR;
}

static bool has_unsent(const struct client *c)
{
	return c->sent < c->unsent_size;
}

/* Most of the time nothing is unsent, and then takes no memory. */
static void forget_sent(struct client *c)
{
	free(c->unsent);
	c->unsent = NULL;
	c->sent = c->unsent_size = c->unsent_room = 0;
}

static void send_unsent(struct client *c)
{
	const struct watch *to = c->out.fd >= 0 ? &c->out : &c->in;

	while (has_unsent(c)) {
		ssize_t n =
			io_write(to->fd, to->socket, c->unsent + c->sent, c->unsent_size - c->sent);

		if (n < 0) {
			c->dead |= !is_again(errno);
			return;
		}
		c->sent += (size_t)n;
		c->used_ns = clock_now_ns();
	}
	forget_sent(c);
}

/* Who types at a terminal that another job has is not talking to us. */
static bool must_pause(const struct client *c)
{
	return !c->in.socket && io_is_background(c->in.fd);
}

static void listen_to(struct client *c)
{
	if (must_pause(c)) {
		c->paused = true;
		server_call_later(c->monitor);
		return;
	}
	ssize_t n = io_read(c->in.fd, c->in.socket, c->said, sizeof(c->said));

	if (n > 0) {
		c->used_ns = clock_now_ns();
		c->heard = 0;
		c->said_size = (size_t)n;
	} else if (n == 0) {
		c->last = true;
	} else {
		c->dead |= !is_again(errno);
	}
}

static bool has_said(const struct client *c)
{
	return c->heard < c->said_size;
}

/* Answers, as long as the answers are taken. */
static void answer(struct client *c)
{
	while (!c->dead && has_said(c) && !has_unsent(c)) {
		talk_go_on(c);
		send_unsent(c);
	}
}

static void wait_for(struct client *c)
{
	uint32_t in = has_unsent(c) || c->paused ? 0 : EPOLLIN;
	uint32_t out = has_unsent(c) ? EPOLLOUT : 0;
	int epoll = c->monitor->epoll;
	int result;

	if (c->out.fd < 0) {
		result = watch_set(epoll, &c->in, in | out);
	} else {
		result = watch_set(epoll, &c->in, in) | watch_set(epoll, &c->out, out);
	}
	c->dead |= result != 0;
}

void client_turn(struct client *c)
{
	send_unsent(c);
	answer(c);
	if (!c->dead && !c->last && !c->paused && !has_said(c) && !has_unsent(c)) {
		listen_to(c);
		answer(c);
	}
	if (c->last && !has_said(c) && !has_unsent(c)) {
		c->dead = true;
	}
	if (!c->dead) {
		wait_for(c);
	}
}

bool client_is_idle(const struct client *c, uint64_t before_ns)
{
	return !c->dead && c->used_ns < before_ns && !session_holds(c->session) &&
	       (has_unsent(c) || !io_has_input(c->in.fd));
}

void client_dismiss(struct client *c, const char *line)
{
	if (!has_unsent(c)) {
		io_write(c->in.fd, c->in.socket, line, strlen(line));
	}
	c->dead = true;
}

static void ready(struct waymark_monitor *m, struct watch *w)
{
	struct client *c = w->of;

	(void)m;
	if (!c->dead) {
		client_turn(c);
	}
}

static bool is_socket(int fd)
{
	struct stat st;

	return waymark_stat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
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
	c->out.socket = out >= 0 && is_socket(out);
	talk_begin(c);
	send_unsent(c);
	if (!c->dead) {
		wait_for(c);
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
	talk_end(c);
	watch_close(c->monitor->epoll, &c->in);
	watch_close(c->monitor->epoll, &c->out);
	free(c->unsent);
	free(c);
}
