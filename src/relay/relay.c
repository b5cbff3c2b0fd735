/* SPDX-License-Identifier: MIT */
/*
 * A viewer is disconnected that does not say soon what it is, or does not go on for a while in the
 * middle of a message. Else it may be silent as long as it wants: its user looks at a page.
 */
#include "relay/relay.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "relay/hosts.h"
#include "relay/message.h"
#include "relay/recent.h"
#include "relay/viewer.h"

#define SECONDS_MAX 30 /* between two pieces of a message */
#define FIRST_MS 5000 /* until the first message */
#define FAILED_MS 100 /* until a connection is accepted again after that failed */
#define CALM_NS CLOCK_NS_PER_S /* without a failure, until it is reported as over */

struct relay {
	const struct relay_options *options;
	struct hosts *hosts;
	pthread_mutex_t lock;
	int sockets[RELAY_VIEWERS_MAX]; /* -1: free; under the lock */
	uint64_t refused_ns; /* when a viewer could not be accepted, which was reported; 0: never */
};

struct relay_client {
	struct relay *relay;
	int *socket; /* in relay->sockets */
	struct viewer viewer;
	struct hosts_view hosts;
};

/* Waits for the next message. False: the connection has ended, or the first does not come. */
static bool await(int fd, bool is_first)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	do {
		n = poll(&p, 1, is_first ? FIRST_MS : -1);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

static bool refuse(const struct viewer *v)
{
	v->options->report("a viewer sent what is no request of LTTng's live protocol 2.4");
	return false;
}

/* Answers one request. False: the connection ends. */
static bool converse(struct relay_client *c, struct out *answer)
{
	struct viewer *v = &c->viewer;
	int fd = *c->socket;
	struct request r;
	bool is_wrong = false;

	if (!await(fd, !v->is_connected) || !request_receive(fd, &r, &is_wrong)) {
		return is_wrong ? refuse(v) : false;
	}
	if (v->is_connected && hosts_converse(&c->hosts, fd, &r)) {
		return false;
	}
	answer->len = 0;
	if (!viewer_answer(v, r.number, r.bytes, answer)) {
		return refuse(v);
	}
	if (r.number == LIVE_LIST_SESSIONS && !v->is_relay) {
		hosts_list(&c->hosts, answer);
	}
	return message_send(fd, answer->data, answer->len);
}

/* Closes a socket, and frees its place if it has one. */
static void free_place(struct relay *r, int *place, int fd)
{
	pthread_mutex_lock(&r->lock);
	if (fd >= 0) {
		close(fd);
	}
	if (place) {
		*place = -1;
	}
	pthread_mutex_unlock(&r->lock);
}

static void *serve(void *data)
{
	struct relay_client *c = data;
	struct relay *r = c->relay;
	struct out answer;

	out_init(&answer, OUT_TO_MEMORY);
	viewer_init(&c->viewer, r->options);
	c->hosts.hosts = r->hosts;
	while (converse(c, &answer)) {
	}
	hosts_view_fini(&c->hosts);
	viewer_fini(&c->viewer);
	out_fini(&answer);
	free_place(r, c->socket, *c->socket);
	free(c);
	return NULL;
}

/* Returns a place for a socket; NULL: there is none. */
static int *take_place(struct relay *r, int fd)
{
	int *place = NULL;

	pthread_mutex_lock(&r->lock);
	for (int i = 0; i < RELAY_VIEWERS_MAX && !place; i++) {
		place = r->sockets[i] < 0 ? &r->sockets[i] : NULL;
	}
	if (place) {
		*place = fd;
	}
	pthread_mutex_unlock(&r->lock);
	return place;
}

/* Starts the thread of a connection, which has a place. */
static bool start(struct relay *r, int *place)
{
	struct relay_client *c = xcalloc(1, sizeof(*c));
	pthread_t thread;

	c->relay = r;
	c->socket = place;
	if (pthread_create(&thread, NULL, serve, c) != 0) {
		free(c);
		return false;
	}
	pthread_detach(thread);
	return true;
}

/* Reports that viewers cannot be accepted, and that they can again, once each. */
static void note_accepted(struct relay *r, bool is_accepted)
{
	const uint64_t now = clock_now_ns();

	if (!is_accepted && r->refused_ns == 0) {
		r->options->report("a viewer could not be accepted: too many, or no descriptor or "
				   "thread is left");
	}
	if (!is_accepted) {
		r->refused_ns = now;
	} else if (r->refused_ns && now - r->refused_ns > CALM_NS) {
		r->options->report("viewers are accepted again");
		r->refused_ns = 0;
	}
}

/* Accepts a connection, unless there are too many. False: another try may fail at once. */
static bool accept_one(struct relay *r, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	int *place = fd < 0 ? NULL : take_place(r, fd);

	if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)) {
		return true; /* the client has left */
	}
	if (place) {
		message_be_impatient(fd, SECONDS_MAX);
	}
	bool is_accepted = place && start(r, place);

	if (!is_accepted) {
		free_place(r, place, fd);
	}
	note_accepted(r, is_accepted);
	return is_accepted;
}

/* Disconnects all viewers, and waits until their threads have ended. */
static void end_all(struct relay *r)
{
	bool is_left;

	do {
		is_left = false;
		pthread_mutex_lock(&r->lock);
		for (int i = 0; i < RELAY_VIEWERS_MAX; i++) {
			is_left |= r->sockets[i] >= 0;
			if (r->sockets[i] >= 0) {
				shutdown(r->sockets[i], SHUT_RDWR);
			}
		}
		pthread_mutex_unlock(&r->lock);
		if (is_left) {
			usleep(1000);
		}
	} while (is_left);
}

/* Serves until the end. After a failure, the listener waits. */
static void serve_viewers(struct relay *r, int listener, int end_fd)
{
	struct recent *recent = r->options->recent;
	struct pollfd waits[] = { { end_fd, POLLIN, 0 }, { listener, POLLIN, 0 },
		{ recent_fd(recent), POLLIN, 0 } };

	while (!(waits[0].revents & POLLIN)) {
		poll(waits, ARRAY_SIZE(waits),
			waits[1].fd < 0 ? FAILED_MS : recent_wait_ms(recent));
		recent_take(recent);
		bool is_paused = waits[1].revents && !accept_one(r, listener);

		waits[1].fd = is_paused ? -1 : listener;
	}
}

void relay_run(const struct relay_options *options, int listener, int end_fd)
{
	struct relay_options own = *options;
	struct relay r = {
		.options = &own, .hosts = hosts_new(options), .lock = PTHREAD_MUTEX_INITIALIZER
	};

	own.recent = recent_new(options);
	memset(r.sockets, 0xff, sizeof(r.sockets));
	serve_viewers(&r, listener, end_fd);
	end_all(&r);
	hosts_release(r.hosts);
	recent_free(own.recent);
}
