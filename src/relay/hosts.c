/* SPDX-License-Identifier: MIT */
/*
 * Two hosts may number sessions alike, so viewers get other numbers, which are changed back in
 * what they send. Answers have no numbers of sessions and are passed on as they are.
 */
#include "relay/hosts.h"

#include <endian.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "format/lttng_live.h"

#define HOST_SIZE 300
#define PATIENCE_S 2 /* for an answer to a list */
#define PIECE 65536

void hosts_fini(struct hosts *h)
{
	vec_fini(&h->sessions);
}

/* ---- Connections ---- */

/* Finds the address of HOST[:PORT]. NULL: there is none. */
static struct addrinfo *find(const char *host)
{
	const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	char name[HOST_SIZE];

	snprintf(name, sizeof(name), "%s", host);
	char *port = strrchr(name, ':');

	if (port) {
		*port++ = '\0';
	}
	return getaddrinfo(name, port ? port : LIVE_PORT, &wanted, &found) == 0 ? found : NULL;
}

/* Returns a connection; -1: there is none. */
static int open_connection(const char *host)
{
	struct addrinfo *found = find(host);
	int fd = found ? socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;

	if (fd >= 0) {
		message_be_impatient(fd, PATIENCE_S);
		if (connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
			close(fd);
			fd = -1;
		}
	}
	if (found) {
		freeaddrinfo(found);
	}
	return fd;
}

static bool say_hello(int fd)
{
	const struct live_connect hello = { .major = htobe32(LIVE_MAJOR),
		.minor = htobe32(LIVE_MINOR),
		.type = htobe32(LIVE_CLIENT_COMMANDS) };
	struct request r = { .number = LIVE_CONNECT, .size = sizeof(hello) };
	struct live_connect answer;

	memcpy(r.bytes, &hello, sizeof(hello));
	return request_send(fd, &r) && message_receive(fd, &answer, sizeof(answer)) &&
	       be32toh(answer.major) == LIVE_MAJOR;
}

/* Returns a connection that can be asked; -1, reported: there is none. */
static int begin(const struct hosts *h, const char *host)
{
	int fd = open_connection(host);
	char text[HOST_SIZE + 100];

	if (fd >= 0 && !say_hello(fd)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0) {
		snprintf(text, sizeof(text), "%s: no relay answers there", host);
		h->options->report(text);
	}
	return fd;
}

/* ---- Lists ---- */

static bool add_session(struct hosts *h, const char *host, int fd, struct out *out)
{
	struct live_session s;

	if (!message_receive(fd, &s, sizeof(s))) {
		return false;
	}
	const struct hosts_session session = { relay_number(host, be64toh(s.id)), be64toh(s.id),
		host };

	vec_push(&h->sessions, session);
	s.id = htobe64(session.id);
	out_bytes(out, &s, sizeof(s));
	return true;
}

/* Adds the sessions of a host. Returns their number. */
static uint32_t list_host(struct hosts *h, const char *host, struct out *out)
{
	const struct request r = { .number = LIVE_LIST_SESSIONS };
	struct live_count count = { 0 };
	uint32_t added = 0;
	int fd = begin(h, host);

	if (fd < 0) {
		return 0;
	}
	if (request_send(fd, &r) && message_receive(fd, &count, sizeof(count))) {
		while (added < be32toh(count.count) && add_session(h, host, fd, out)) {
			added++;
		}
	}
	close(fd);
	return added;
}

void hosts_list(struct hosts *h, struct out *out)
{
	struct live_count count;

	memcpy(&count, out->data, sizeof(count));
	uint32_t all = be32toh(count.count);

	h->sessions.count = 0;
	for (size_t i = 0; i < h->options->host_count; i++) {
		all += list_host(h, h->options->hosts[i], out);
	}
	count.count = htobe32(all);
	memcpy(out->data, &count, sizeof(count));
}

/* ---- Conversations ---- */

static const struct hosts_session *session_of(const struct hosts *h, uint64_t id)
{
	vec_foreach (const struct hosts_session *, s, &h->sessions) {
		if (s->id == id) {
			return s;
		}
	}
	return NULL;
}

/* Sends a viewer's request with the host's own number of the session. */
static bool pass_request(int fd, struct request *r, const struct hosts_session *s)
{
	bool has_session = r->number == LIVE_ATTACH || r->number == LIVE_NEW_STREAMS ||
			   r->number == LIVE_DETACH;
	uint64_t id = htobe64(s->id);
	uint64_t id_there = htobe64(s->id_there);

	if (has_session && r->size >= sizeof(id) && memcmp(r->bytes, &id, sizeof(id)) == 0) {
		memcpy(r->bytes, &id_there, sizeof(id_there));
	}
	return request_send(fd, r);
}

static bool pass_answer(int from, int to)
{
	char piece[PIECE];
	ssize_t n = recv(from, piece, sizeof(piece), 0);

	return n > 0 && message_send(to, piece, (size_t)n);
}

/* Passes requests and answers on until one side ends. */
static void pass(int viewer, int fd, const struct hosts_session *s)
{
	struct pollfd waits[2] = { { viewer, POLLIN, 0 }, { fd, POLLIN, 0 } };
	struct request r;
	bool goes_on = true;

	while (goes_on && poll(waits, 2, -1) > 0) {
		if (waits[0].revents) {
			goes_on = request_receive(viewer, &r, NULL) && pass_request(fd, &r, s);
		}
		if (goes_on && waits[1].revents) {
			goes_on = pass_answer(fd, viewer);
		}
	}
}

bool hosts_converse(const struct hosts *h, int viewer, const struct request *attach)
{
	struct live_attach a;
	struct request r = *attach;
	const struct request create = { .number = LIVE_CREATE_SESSION };
	struct live_status created;

	if (attach->number != LIVE_ATTACH || attach->size != sizeof(a)) {
		return false;
	}
	memcpy(&a, attach->bytes, sizeof(a));
	const struct hosts_session *s = session_of(h, be64toh(a.session));
	int fd = s ? begin(h, s->host) : -1;

	if (fd >= 0 && request_send(fd, &create) &&
		message_receive(fd, &created, sizeof(created)) && pass_request(fd, &r, s)) {
		pass(viewer, fd, s);
	}
	if (fd >= 0) {
		close(fd);
	}
	return s;
}
