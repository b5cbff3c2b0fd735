/* SPDX-License-Identifier: MIT */
/*
 * Two hosts may number sessions alike, so viewers get other numbers, which are changed back in
 * what they send. Answers have no numbers of sessions and are passed on as they are. A relay says
 * that it is one, and is not told of the hosts behind: two may name each other.
 */
#include "relay/hosts.h"

#include <endian.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "format/lttng_live.h"
#include "relay/viewer.h"

#define HOST_SIZE 300
#define PATIENCE_S 2 /* for a list */
#define SESSIONS_MAX 4096u /* of a host */
#define PIECE 65536

void hosts_fini(struct hosts *h)
{
	vec_fini(&h->sessions);
}

/* ---- Connections ---- */

/* The parts of HOST[:PORT]; an address of IPv6 is in brackets. */
struct place {
	char text[HOST_SIZE];
	const char *name;
	const char *port;
};

/* False: it is no place. */
static bool split(struct place *p, const char *host)
{
	bool fits = snprintf(p->text, sizeof(p->text), "%s", host) < (int)sizeof(p->text);
	char *end = *p->text == '[' ? strchr(p->text, ']') : NULL;
	char *colon = strchr(end ? end : p->text, ':');

	p->name = end ? p->text + 1 : p->text;
	p->port = colon ? colon + 1 : LIVE_PORT;
	if (colon) {
		*colon = '\0';
	}
	if (end) {
		*end = '\0';
	}
	return fits && *p->name && *p->port && !p->port[strspn(p->port, "0123456789")] &&
	       strlen(p->port) <= 5 && atoi(p->port) <= UINT16_MAX;
}

bool hosts_check(const char *host)
{
	struct place p;

	return split(&p, host);
}

/* Finds the addresses of a host. NULL: there are none. */
static struct addrinfo *find(const char *host)
{
	const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	struct place p;

	return split(&p, host) && getaddrinfo(p.name, p.port, &wanted, &found) == 0 ? found : NULL;
}

static int connect_to(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0) {
		message_be_impatient(fd, PATIENCE_S);
		if (connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

/* Returns a connection; -1: there is none. */
static int open_connection(const char *host)
{
	struct addrinfo *found = find(host);
	int fd = -1;

	for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
		fd = connect_to(a);
	}
	if (found) {
		freeaddrinfo(found);
	}
	return fd;
}

/* Receives exactly `size` bytes, until a time, however slowly they come. */
static bool receive(int fd, void *to, size_t size, uint64_t end_ns)
{
	struct pollfd wait = { fd, POLLIN, 0 };
	char *p = to;

	while (size > 0) {
		uint64_t now = clock_now_ns();
		int ms = now < end_ns ? (int)((end_ns - now) / 1000000) : 0;
		ssize_t n = poll(&wait, 1, ms) > 0 ? recv(fd, p, size, MSG_DONTWAIT) : -1;

		if (n <= 0) {
			return false;
		}
		p += n;
		size -= (size_t)n;
	}
	return true;
}

static bool say_hello(int fd, uint64_t end_ns)
{
	const struct live_connect hello = { .viewer = htobe64(RELAY_VIEWER),
		.major = htobe32(LIVE_MAJOR),
		.minor = htobe32(LIVE_MINOR),
		.type = htobe32(LIVE_CLIENT_COMMANDS) };
	struct request r = { .number = LIVE_CONNECT, .size = sizeof(hello) };
	struct live_connect answer;

	memcpy(r.bytes, &hello, sizeof(hello));
	return request_send(fd, &r) && receive(fd, &answer, sizeof(answer), end_ns) &&
	       be32toh(answer.major) == LIVE_MAJOR;
}

static void report(const struct hosts *h, const char *host, const char *why)
{
	char text[HOST_SIZE + 200];

	snprintf(text, sizeof(text), "%s: %s", host, why);
	h->options->report(text);
}

/* Returns a connection that can be asked; -1, reported: there is none. */
static int begin(const struct hosts *h, const char *host, uint64_t end_ns)
{
	int fd = open_connection(host);

	if (fd >= 0 && !say_hello(fd, end_ns)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0) {
		report(h, host, "no relay answers there");
	}
	return fd;
}

/* ---- Lists ---- */

/* The sessions of a host, as they come. */
struct listing {
	struct hosts *hosts;
	const char *host;
	int fd;
	uint64_t end_ns;
	struct out sessions; /* with the numbers of this relay */
};

/*
 * True if a list has a session of that host and name. A viewer knows sessions by these, and fails
 * if two have the same.
 */
static bool has_session(const char *list, size_t size, const struct live_session *wanted)
{
	for (; size >= sizeof(*wanted); size -= sizeof(*wanted), list += sizeof(*wanted)) {
		struct live_session s;

		memcpy(&s, list, sizeof(s));
		if (memcmp(s.host, wanted->host, sizeof(s.host)) == 0 &&
			memcmp(s.name, wanted->name, sizeof(s.name)) == 0) {
			return true;
		}
	}
	return false;
}

static bool receive_session(struct listing *l)
{
	struct live_session s;

	if (!receive(l->fd, &s, sizeof(s), l->end_ns)) {
		return false;
	}
	const uint64_t there = be64toh(s.id);
	const struct hosts_session session = { relay_number(l->host, there), there, l->host };

	vec_push(&l->hosts->sessions, session);
	s.id = htobe64(session.id);
	out_bytes(&l->sessions, &s, sizeof(s));
	return true;
}

/* Receives all sessions. False: not all came. */
static bool receive_sessions(struct listing *l)
{
	const struct request r = { .number = LIVE_LIST_SESSIONS };
	struct live_count count;
	uint32_t received = 0;

	if (!request_send(l->fd, &r) || !receive(l->fd, &count, sizeof(count), l->end_ns) ||
		be32toh(count.count) > SESSIONS_MAX) {
		return false;
	}
	while (received < be32toh(count.count) && receive_session(l)) {
		received++;
	}
	return received == be32toh(count.count);
}

/* Adds what was received to a list. Returns the number of sessions. */
static uint32_t add_sessions(struct listing *l, struct out *list)
{
	const size_t head = sizeof(struct live_count);
	uint32_t added = 0;

	for (size_t at = 0; at < l->sessions.len; at += sizeof(struct live_session)) {
		struct live_session s;

		memcpy(&s, l->sessions.data + at, sizeof(s));
		if (has_session(list->data + head, list->len - head, &s)) {
			report(l->hosts, l->host, "a session has the name and host of another one");
			continue;
		}
		out_bytes(list, &s, sizeof(s));
		added++;
	}
	return added;
}

/* Adds the sessions of a host to a list. Returns their number. */
static uint32_t list_host(struct hosts *h, const char *host, struct out *list)
{
	struct listing l = { .hosts = h, .host = host };
	uint32_t added = 0;

	l.end_ns = clock_now_ns() + PATIENCE_S * CLOCK_NS_PER_S;
	l.fd = begin(h, host, l.end_ns);
	if (l.fd < 0) {
		return 0;
	}
	out_init(&l.sessions, OUT_TO_MEMORY);
	if (receive_sessions(&l)) {
		added = add_sessions(&l, list);
	} else {
		report(h, host, "its list of sessions is too long, or did not come in two seconds");
	}
	out_fini(&l.sessions);
	close(l.fd);
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
static void pass(const struct hosts *h, int viewer, int fd, const struct hosts_session *s)
{
	struct pollfd waits[2] = { { viewer, POLLIN, 0 }, { fd, POLLIN, 0 } };
	struct request r;
	bool goes_on = true;
	bool is_wrong = false;

	while (goes_on && poll(waits, 2, -1) > 0) {
		if (waits[0].revents) {
			goes_on = request_receive(viewer, &r, &is_wrong) && pass_request(fd, &r, s);
		}
		if (goes_on && waits[1].revents) {
			goes_on = pass_answer(fd, viewer);
		}
	}
	if (is_wrong) {
		report(h, s->host, "a viewer sent what is no request");
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
	uint64_t end_ns = clock_now_ns() + PATIENCE_S * CLOCK_NS_PER_S;
	int fd = s ? begin(h, s->host, end_ns) : -1;

	if (fd >= 0 && request_send(fd, &create) &&
		receive(fd, &created, sizeof(created), end_ns) && pass_request(fd, &r, s)) {
		pass(h, viewer, fd, s);
	}
	if (fd >= 0) {
		close(fd);
	}
	return s;
}
