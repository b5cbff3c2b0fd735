/* SPDX-License-Identifier: MIT */
/*
 * Two hosts may number sessions alike, so viewers get other numbers, which are changed back in
 * what they send. Answers have no numbers of sessions and are passed on as they are. A relay says
 * that it is one, and is not told of the hosts behind: two may name each other.
 *
 * A thread asks each host for its list, so that all are asked at once, and a list can do without a
 * thread that hangs in looking for a name.
 */
#include "relay/hosts.h"

#include <endian.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "format/lttng_live.h"
#include "relay/viewer.h"

#define HOST_SIZE 300
#define PATIENCE_S 2 /* for a list */
#define SESSIONS_MAX 4096u /* of a host */
#define PIECE 65536

/* Problems are compared by these addresses. */
static const char silent[] = "no relay answers there";
static const char incomplete[] = "its list of sessions is too long, or did not come in two seconds";
static const char twice[] = "a session has the name and host of another one";
static const char no_thread[] = "it cannot be asked: no thread is left";
static const char listed_again[] = "its sessions are listed again";

/* One of the relays, as it answered the last list of any viewer. */
struct host {
	const char *name; /* HOST[:PORT] */
	const char *problem; /* reported last; NULL: none */
	unsigned int late; /* threads that ask for lists that are over */
};

struct hosts {
	const struct relay_options *options;
	pthread_mutex_t lock;
	pthread_cond_t answered; /* a question is over */
	size_t users; /* the relay, and threads that ask; under the lock, as `all` */
	struct host all[];
};

struct hosts *hosts_new(const struct relay_options *options)
{
	struct hosts *h = xcalloc(1, sizeof(*h) + options->host_count * sizeof(h->all[0]));
	pthread_condattr_t attributes;

	h->options = options;
	h->users = 1;
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&h->answered, &attributes);
	pthread_condattr_destroy(&attributes);
	for (size_t i = 0; i < options->host_count; i++) {
		h->all[i].name = options->hosts[i];
	}
	return h;
}

void hosts_release(struct hosts *h)
{
	pthread_mutex_lock(&h->lock);
	bool is_last = --h->users == 0;

	pthread_mutex_unlock(&h->lock);
	if (is_last) {
		pthread_cond_destroy(&h->answered);
		pthread_mutex_destroy(&h->lock);
		free(h);
	}
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

/* Connects within some time. Returns -1 if that fails. */
static int connect_to(const struct addrinfo *a, uint64_t ns)
{
	const struct timeval most = { .tv_sec = (time_t)(ns / CLOCK_NS_PER_S),
		.tv_usec = (suseconds_t)(ns % CLOCK_NS_PER_S / 1000) };
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
		if (connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
			close(fd);
			return -1;
		}
		message_be_impatient(fd, PATIENCE_S);
	}
	return fd;
}

/* Returns a connection; -1: there is none. An address that is silent leaves time for the next. */
static int open_connection(const char *host, uint64_t end_ns)
{
	struct addrinfo *found = find(host);
	int fd = -1;

	for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
		uint64_t now = clock_now_ns();
		uint64_t left = now < end_ns ? end_ns - now : 0;

		/* 0 would be without a limit */
		fd = left >= 1000000 ? connect_to(a, a->ai_next ? left / 2 : left) : -1;
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

/* Begins to ask over a connection, unless it is -1. Returns it; -1: that fails. */
static int begin(int fd, uint64_t end_ns)
{
	if (fd >= 0 && !say_hello(fd, end_ns)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void report(const struct hosts *h, const char *host, const char *what)
{
	char text[HOST_SIZE + 200];

	snprintf(text, sizeof(text), "%s: %s", host, what);
	h->options->report(text);
}

/* Reports a host's problem, or NULL, unless the list before had the same. */
static void note_problem(struct hosts *h, struct host *host, const char *problem)
{
	pthread_mutex_lock(&h->lock);
	const char *before = host->problem;

	host->problem = problem;
	pthread_mutex_unlock(&h->lock);
	if (problem != before) {
		report(h, host->name, problem ? problem : listed_again);
	}
}

/* ---- Questions ---- */

/* What a host is asked for one list, by a thread. */
struct question {
	struct hosts *hosts;
	struct host *host;
	uint64_t end_ns;
	struct out sessions; /* as the host numbers them; the thread's until it is over, and: */
	struct sockaddr_storage address; /* that answered */
	/* under the lock: */
	const char *problem; /* if it ended now; NULL: all sessions came */
	bool is_over; /* no thread asks any longer */
	bool is_left; /* the answer is unwanted: the thread frees it */
};

static void free_question(struct question *q)
{
	out_fini(&q->sessions);
	free(q);
}

/* Receives all sessions. False: not all came. */
static bool receive_sessions(struct question *q, int fd)
{
	const struct request r = { .number = LIVE_LIST_SESSIONS };
	struct live_count count;
	struct live_session s;

	if (!request_send(fd, &r) || !receive(fd, &count, sizeof(count), q->end_ns) ||
		be32toh(count.count) > SESSIONS_MAX) {
		return false;
	}
	for (uint32_t left = be32toh(count.count); left > 0; left--) {
		if (!receive(fd, &s, sizeof(s), q->end_ns)) {
			return false;
		}
		out_bytes(&q->sessions, &s, sizeof(s));
	}
	return true;
}

/* Notes how far a question has come. */
static void set_problem(struct question *q, const char *problem)
{
	pthread_mutex_lock(&q->hosts->lock);
	q->problem = problem;
	pthread_mutex_unlock(&q->hosts->lock);
}

static void *ask(void *question)
{
	struct question *q = question;
	struct hosts *h = q->hosts;
	int fd = begin(open_connection(q->host->name, q->end_ns), q->end_ns);

	if (fd >= 0) {
		socklen_t size = sizeof(q->address);

		getpeername(fd, (struct sockaddr *)&q->address, &size);
		set_problem(q, incomplete);
		set_problem(q, receive_sessions(q, fd) ? NULL : incomplete);
		close(fd);
	}
	pthread_mutex_lock(&h->lock);
	bool is_left = q->is_left;

	q->is_over = true;
	q->host->late -= is_left;
	pthread_cond_broadcast(&h->answered);
	pthread_mutex_unlock(&h->lock);
	if (is_left) {
		free_question(q);
	}
	hosts_release(h);
	return NULL;
}

static bool start_thread(struct question *q)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, ask, q) != 0) {
		return false;
	}
	pthread_detach(thread);
	return true;
}

/* Asks a host, unless the thread of a former list still does. The caller ends the question. */
static struct question *begin_question(struct hosts *h, struct host *host, uint64_t end_ns)
{
	struct question *q = xcalloc(1, sizeof(*q));

	*q = (struct question){ .hosts = h, .host = host, .end_ns = end_ns, .problem = silent };
	out_init(&q->sessions, OUT_TO_MEMORY);
	pthread_mutex_lock(&h->lock);
	bool is_late = host->late > 0;

	h->users += !is_late;
	pthread_mutex_unlock(&h->lock);
	if (is_late) {
		q->is_over = true;
	} else if (!start_thread(q)) {
		q->problem = no_thread;
		q->is_over = true;
		hosts_release(h);
	}
	return q;
}

/* Waits until a question is over, or its time. */
static void await_answer(struct question *q)
{
	const struct timespec end = { .tv_sec = (time_t)(q->end_ns / CLOCK_NS_PER_S),
		.tv_nsec = (long)(q->end_ns % CLOCK_NS_PER_S) };
	struct hosts *h = q->hosts;

	pthread_mutex_lock(&h->lock);
	while (!q->is_over && pthread_cond_timedwait(&h->answered, &h->lock, &end) == 0) {
	}
	pthread_mutex_unlock(&h->lock);
}

/* Leaves a question to its thread unless it is over. Returns its problem; NULL: it is answered. */
static const char *end_question(struct question *q, bool *is_over)
{
	struct hosts *h = q->hosts;

	pthread_mutex_lock(&h->lock);
	const char *problem = q->is_over || q->problem ? q->problem : incomplete;

	*is_over = q->is_over;
	q->is_left = !q->is_over;
	q->host->late += q->is_left;
	pthread_mutex_unlock(&h->lock);
	return problem;
}

/* ---- Lists ---- */

void hosts_view_fini(struct hosts_view *v)
{
	vec_fini(&v->sessions);
}

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

/* Adds the sessions of an answer to a list. Returns a problem, or NULL. */
static const char *add_sessions(
	struct hosts_view *v, const struct question *q, struct out *list, uint32_t *count)
{
	const size_t head = sizeof(struct live_count);
	const char *problem = NULL;

	for (size_t at = 0; at < q->sessions.len; at += sizeof(struct live_session)) {
		struct live_session s;

		memcpy(&s, q->sessions.data + at, sizeof(s));
		if (has_session(list->data + head, list->len - head, &s)) {
			problem = twice;
			continue;
		}
		const uint64_t there = be64toh(s.id);
		const struct hosts_session session = { relay_number(q->host->name, there), there,
			q->host->name, q->address };

		vec_push(&v->sessions, session);
		s.id = htobe64(session.id);
		out_bytes(list, &s, sizeof(s));
		++*count;
	}
	return problem;
}

/* Adds what a host has answered until now to a list, and ends the question. */
static void add_answer(struct hosts_view *v, struct question *q, struct out *list, uint32_t *count)
{
	struct host *host = q->host;
	bool is_over;
	const char *problem = end_question(q, &is_over);

	if (!problem) {
		problem = add_sessions(v, q, list, count);
	}
	if (is_over) {
		free_question(q);
	}
	note_problem(v->hosts, host, problem);
}

void hosts_list(struct hosts_view *v, struct out *out)
{
	const uint64_t end_ns = clock_now_ns() + PATIENCE_S * CLOCK_NS_PER_S;
	struct hosts *h = v->hosts;
	VEC(struct question *) questions = { 0 };
	struct live_count count;

	memcpy(&count, out->data, sizeof(count));
	uint32_t all = be32toh(count.count);

	v->sessions.count = 0;
	for (size_t i = 0; i < h->options->host_count; i++) {
		vec_push(&questions, begin_question(h, &h->all[i], end_ns));
	}
	vec_foreach (struct question **, q, &questions) {
		await_answer(*q);
	}
	vec_foreach (struct question **, q, &questions) {
		add_answer(v, *q, out, &all);
	}
	vec_fini(&questions);
	count.count = htobe32(all);
	memcpy(out->data, &count, sizeof(count));
}

/* ---- Conversations ---- */

static const struct hosts_session *session_of(const struct hosts_view *v, uint64_t id)
{
	vec_foreach (const struct hosts_session *, s, &v->sessions) {
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

/* Connects to the address that gave the list: to look for its name may hang, also at the end. */
static int connect_again(const struct hosts_session *s)
{
	struct sockaddr_storage address = s->address;
	const struct addrinfo a = { .ai_family = address.ss_family,
		.ai_addr = (struct sockaddr *)&address,
		.ai_addrlen = sizeof(address) };

	return connect_to(&a, PATIENCE_S * CLOCK_NS_PER_S);
}

bool hosts_converse(const struct hosts_view *v, int viewer, const struct request *attach)
{
	struct live_attach a;
	struct request r = *attach;
	const struct request create = { .number = LIVE_CREATE_SESSION };
	struct live_status created;

	if (attach->number != LIVE_ATTACH) {
		return false;
	}
	memcpy(&a, attach->bytes, sizeof(a));
	const struct hosts_session *s = session_of(v, be64toh(a.session));
	uint64_t end_ns = clock_now_ns() + PATIENCE_S * CLOCK_NS_PER_S;
	int fd = s ? begin(connect_again(s), end_ns) : -1;

	if (fd >= 0 && request_send(fd, &create) &&
		receive(fd, &created, sizeof(created), end_ns) && pass_request(fd, &r, s)) {
		pass(v->hosts, viewer, fd, s);
	}
	if (fd >= 0) {
		close(fd);
	} else if (s) {
		report(v->hosts, s->host, silent);
	}
	return s;
}
