/* SPDX-License-Identifier: MIT */
/*
 * The descriptors and clients of one monitor, from its creation to a fork and its end. Called
 * by monitors.c and monitor.c under the monitor's lock, by one thread at a time.
 */
#include "mon/server/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "mon/server/client.h"
#include "rt/host/file.h"
#include "rt/host/open.h"
#include "socket/socket.h"

/* Delay before a fork's child opens its address, as it may be about to exec another program. */
#define CHILD_MS 20

/* Returns false without memory. */
static bool copy_options(struct waymark_monitor *m, const struct waymark_monitor_options *options)
{
	m->options = *options;
	m->options.where = NULL;
	m->options.prompt = options->prompt ? strdup(options->prompt) : NULL;
	return m->options.prompt || !options->prompt;
}

struct waymark_monitor *server_create(
	const struct waymark_monitor_options *options, struct waymark_error *error)
{
	struct waymark_monitor *m = calloc(1, sizeof(*m));

	if (!m) {
		mon_fail(error, "no memory for a monitor");
		return NULL;
	}
	pthread_mutex_init(&m->lock, NULL);
	m->process = getpid();
	m->epoll = m->witness = -1;
	watch_init(&m->timer, -1, NULL, NULL);
	watch_init(&m->listener, -1, NULL, NULL);
	watch_init(&m->owner, -1, NULL, NULL);
	if (options && !copy_options(m, options)) {
		mon_fail(error, "no memory for a monitor");
	} else if (m->options.mode > WAYMARK_MONITOR_STRATOVIRT_2023) {
		mon_fail(error, "%d is not a mode of a monitor", (int)m->options.mode);
	} else if (address_init(&m->address, options ? options->where : NULL, error) == 0) {
		return m;
	}
	server_destroy(m);
	return NULL;
}

/* Callback of the timer: retries what was put off. */
static void retry(struct waymark_monitor *m, struct watch *w)
{
	io_timer_take(w->fd);
	if (m->wants_address) {
		address_open_later(m);
	}
	address_listen(m);
	for (struct client *c = m->clients; c; c = c->next) {
		if (c->paused && !c->dead) {
			c->paused = false;
			client_work(c);
		}
	}
}

static int open_witness(struct waymark_monitor *m)
{
	struct stat st;

	if (m->own_table) {
		return 0;
	}
	m->witness = io_witness();
	if (m->witness < 0 || waymark_stat(m->witness, &st)) {
		return -1;
	}
	m->identity = identity_of(&st);
	return 0;
}

static int open_epoll(struct waymark_monitor *m)
{
	if (open_witness(m)) {
		return -1;
	}
	m->epoll = io_epoll();
	watch_init(&m->timer, io_timer(), retry, m);
	return m->epoll < 0 || m->timer.fd < 0 ? -1 : watch_set(m->epoll, &m->timer, EPOLLIN);
}

int server_open(struct waymark_monitor *m, struct waymark_error *error)
{
	if (open_epoll(m)) {
		return mon_fail(
			error, "a monitor cannot watch descriptors: %s", strerrordesc_np(errno));
	}
	if (m->wants_address) {
		io_timer_arm(m->timer.fd, CHILD_MS);
	}
	return 0;
}

bool server_has_ended(const struct waymark_monitor *m)
{
	return m->finished ||
	       (!m->clients && m->listener.fd < 0 && m->owner.fd < 0 && !m->wants_address);
}

void server_work(struct waymark_monitor *m, const struct epoll_event *events, int count)
{
	for (int i = 0; i < count; i++) {
		struct watch *w = events[i].data.ptr;

		if (w->fd >= 0) {
			w->ready(m, w);
		}
	}
	/*
	 * Frees clients only after all events are handled, as an event may belong to one that died
	 * meanwhile.
	 */
	struct client **at = &m->clients;

	while (*at) {
		struct client *c = *at;

		if (!c->dead) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		client_destroy(c);
	}
}

static void destroy_clients(struct waymark_monitor *m)
{
	while (m->clients) {
		struct client *c = m->clients;

		m->clients = c->next;
		client_destroy(c);
	}
}

bool server_has_descriptors(const struct waymark_monitor *m)
{
	struct stat st;

	return m->own_table || identity_is(&m->identity, m->witness, &st);
}

static void forget_descriptors(struct waymark_monitor *m)
{
	for (struct client *c = m->clients; c; c = c->next) {
		watch_forget(&c->in);
		watch_forget(&c->out);
	}
	watch_forget(&m->timer);
	watch_forget(&m->listener);
	watch_forget(&m->owner);
	m->epoll = m->witness = -1;
}

void server_close(struct waymark_monitor *m)
{
	if (!server_has_descriptors(m)) {
		forget_descriptors(m);
	}
	destroy_clients(m);
	if (m->file.process) {
		socket_remove(&m->file);
	}
	watch_close(m->epoll, &m->listener);
	watch_close(m->epoll, &m->owner);
	watch_close(m->epoll, &m->timer);
	waymark_close(m->witness);
	waymark_close(m->epoll);
	m->epoll = m->witness = -1;
}

void server_destroy(struct waymark_monitor *m)
{
	address_fini(&m->address);
	free((char *)m->options.prompt);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

/* Opens epoll again under its old number, which the program polls. */
static void renew_epoll(struct waymark_monitor *m, int number)
{
	if (server_open(m, NULL) == 0) {
		m->epoll = io_move(m->epoll, number);
		return;
	}
	waymark_close(m->witness);
	waymark_close(m->epoll);
	waymark_close(number);
	m->epoll = m->witness = -1;
	m->finished = true;
}

bool server_forked(struct waymark_monitor *m, bool whole)
{
	bool has_copies = !m->own_table && server_has_descriptors(m);
	int number = m->epoll;

	pthread_mutex_init(&m->lock, NULL);
	if (!whole) { /* a thread was working on them, so they cannot be touched */
		m->clients = NULL;
	} else if (has_copies) {
		/* Closes the child's copies; the parent continues to wait for the files. */
		for (struct client *c = m->clients; c; c = c->next) {
			watch_close_copy(&c->in);
			watch_close_copy(&c->out);
		}
		watch_close_copy(&m->timer);
		watch_close_copy(&m->listener);
		watch_close_copy(&m->owner);
		waymark_close(m->witness);
	}
	forget_descriptors(m);
	destroy_clients(m);
	m->process = getpid();
	m->file.process = 0;
	m->tries = 0;
	m->finished |= m->address.kind == ADDRESS_STDIO || m->address.kind == ADDRESS_FD;
	m->wants_address = true; /* even if finished: the timer wakes the program */
	if (has_copies) {
		renew_epoll(m, number);
	}
	return !m->finished;
}
