/* SPDX-License-Identifier: MIT */
/*
 * The clients of the daemon, one thread each. A client has DEPTH requests under way, so that its
 * worker always finds the next one: the daemon is at full load.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon.h"

#define DEPTH 16

struct client {
	pthread_t thread;
	const struct load *load;
	uint64_t begin_ns;
	uint64_t next; /* request */
	uint64_t next_slow; /* UINT64_MAX: not yet known */
	int socket;
};

static void fail(const char *what)
{
	perror(what);
	_exit(1);
}

void pin(int worker)
{
	cpu_set_t all, one;
	int cpu = -1;

	sched_getaffinity(0, sizeof(all), &all);
	for (int left = worker % CPU_COUNT(&all); left >= 0; left -= CPU_ISSET(cpu, &all) != 0) {
		cpu++;
	}
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* Only the first client has slow requests: one of `every` requests of all. */
static bool is_slow(struct client *c, uint64_t ns)
{
	if (c->next % WORKERS != 0 || ns < c->load->slow_ns) {
		return false;
	}
	if (c->next_slow == UINT64_MAX || c->next >= c->next_slow) {
		c->next_slow = c->next + c->load->every;
		return true;
	}
	return false;
}

static void send_request(struct client *c, uint64_t ns)
{
	struct request r = {
		.io = c->next,
		.block = (uint32_t)(c->next * UINT64_C(2654435761) % BLOCKS),
		.is_slow = is_slow(c, ns),
	};

	c->next += WORKERS;
	if (write(c->socket, &r, sizeof(r)) != sizeof(r)) {
		fail("client: write");
	}
}

static void receive_reply(struct client *c, uint64_t io)
{
	struct reply r;

	if (read(c->socket, &r, sizeof(r)) != sizeof(r) || r.io != io) {
		fail("client: read");
	}
}

static void *client_thread(void *opaque)
{
	struct client *c = opaque;
	uint64_t received = c->next;
	uint64_t ns = 0;

	pin((int)(c->next % WORKERS));
	for (int i = 0; i < DEPTH; i++) {
		send_request(c, 0);
	}
	while (received != c->next) {
		receive_reply(c, received);
		received += WORKERS;
		if (ns < c->load->ns) {
			ns = now_ns() - c->begin_ns;
			send_request(c, ns);
		}
	}
	close(c->socket);
	return NULL;
}

void clients_run(const int sockets[WORKERS], const struct load *load)
{
	struct client clients[WORKERS];

	for (int i = 0; i < WORKERS; i++) {
		clients[i] = (struct client){ .load = load,
			.begin_ns = now_ns(),
			.next = (uint64_t)i,
			.next_slow = UINT64_MAX,
			.socket = sockets[i] };
		if (pthread_create(&clients[i].thread, NULL, client_thread, &clients[i])) {
			fail("client: pthread_create");
		}
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(clients[i].thread, NULL);
	}
}
