/* SPDX-License-Identifier: MIT */
/*
 * Serves the page and its questions, by libmicrohttpd, to the user who started it. The traces are
 * private: another user of the machine can connect to the port, and a page of another site can make
 * the browser do so. So each request must show the token, in the address or as a cookie, that the
 * command printed; must name this server as its Host, which a name that was bound to this machine
 * does not; and must not come from a page of another origin.
 *
 * A browser sends a cookie to all ports of a host, so another user could be shown it by a server of
 * his own. Therefore the cookie is only for a folder whose name is another secret, which the
 * address of the page has, but not the one that the command prints.
 */
#include <microhttpd.h>

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "cmd/view/answer/answers.h"
#include "cmd/view/answer/running.h"
#include "cmd/view/strangers.h"
#include "cmd/view/view.h"
#include "socket/socket.h"

/* The user's, those that have not shown the token, and as many that are being closed. */
#define CONNECTIONS_MAX (RUNNING_MAX + 2 * STRANGERS_MAX)
#define SECONDS_IDLE 30 /* of a connection without a question */
#define STREAM_BLOCK (64u << 10)
#define COOKIE "waymark"

struct view_server {
	struct viewer *viewer;
	struct MHD_Daemon *daemon;
	const char *token;
	char folder[VIEW_SECRET_DIGITS + 1]; /* of the page, its files and the answers */
	struct socket_file file; /* of the socket; zeroed: a port */
	uint16_t port; /* 0: a socket */
	uint64_t asked; /* atomic: time of the last question, in seconds */
	struct running running;
	struct strangers strangers;
};

static uint64_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec;
}

/* ---- Answers ---- */

/* Tell browsers to run nothing but this page's files, and to give the answers to no other page. */
static const struct {
	const char *name;
	const char *value;
	bool is_of_page; /* an answer with a policy of its own, which is no page of ours, has none
			  */
} headers[] = {
	{ "Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
		"connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
		"form-action 'none'",
		true },
	{ "Cross-Origin-Opener-Policy", "same-origin", true },
	{ "Cross-Origin-Resource-Policy", "same-origin", false },
	{ "X-Content-Type-Options", "nosniff", false },
	{ "Referrer-Policy", "no-referrer", false },
	{ "Cache-Control", "no-store", false },
};

/* Sends a response, which may be NULL, with the headers of a reply. */
static enum MHD_Result send_response(struct MHD_Connection *c, unsigned int status,
	const struct view_reply *reply, struct MHD_Response *r)
{
	char text[128];

	if (!r) {
		return MHD_NO;
	}
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		if (!reply->policy || !headers[i].is_of_page) {
			MHD_add_response_header(r, headers[i].name, headers[i].value);
		}
	}
	if (reply->policy) {
		MHD_add_response_header(r, headers[0].name, reply->policy);
	}
	if (reply->file) {
		snprintf(text, sizeof(text), "attachment; filename=\"%s\"", reply->file);
		MHD_add_response_header(r, "Content-Disposition", text);
	}
	MHD_add_response_header(r, "Content-Type", reply->type);
	if (status >= MHD_HTTP_BAD_REQUEST) { /* a stranger cannot go on with the same one */
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	}
	enum MHD_Result result = MHD_queue_response(c, status, r);

	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result send_text(
	struct MHD_Connection *c, unsigned int status, const char *type, const struct out *out)
{
	const struct view_reply reply = { .type = type };

	return send_response(c, status, &reply,
		MHD_create_response_from_buffer(out->len, out->data, MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned int status, const char *why)
{
	struct out out;

	out_init(&out, OUT_TO_MEMORY);
	out_printf(&out, "%s\n", why);
	enum MHD_Result result = send_text(c, status, "text/plain; charset=utf-8", &out);

	out_fini(&out);
	return result;
}

/* ---- Who may ask ---- */

bool view_make_secret(char secret[VIEW_SECRET_DIGITS + 1])
{
	unsigned char bytes[VIEW_SECRET_DIGITS / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		return false;
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
	}
	return true;
}

/* Compares a secret in a time that does not tell how many characters are equal. */
static bool is_secret(const char *secret, const char *text, size_t length)
{
	unsigned char differs = 0;

	if (length != VIEW_SECRET_DIGITS) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		differs |= (unsigned char)(text[i] ^ secret[i]);
	}
	return differs == 0;
}

static bool is_token(const struct view_server *s, const char *text)
{
	return text && is_secret(s->token, text, strlen(text));
}

/* Returns a path without the secret folder; NULL: it is not in there. */
static const char *path_inside(const struct view_server *s, const char *path)
{
	size_t length = *path == '/' ? strcspn(path + 1, "/") : 0;

	return length > 0 && path[1 + length] && is_secret(s->folder, path + 1, length)
		       ? path + 1 + length
		       : NULL;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* True if the name is this server's, as browsers write it. */
static bool is_own_host(const struct view_server *s, const char *host)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };
	char own[64];

	for (size_t i = 0; i < ARRAY_SIZE(names) && host; i++) {
		size_t length = strlen(names[i]);
		bool is_name = strncmp(host, names[i], length) == 0;

		snprintf(own, sizeof(own), ":%u", s->port);
		/* A forwarded socket has any port of this machine. */
		if (is_name && (s->port == 0 ? host[length] == ':' || !host[length]
					     : strcmp(host + length, own) == 0)) {
			return true;
		}
	}
	return false;
}

/* True if no page of another origin asks. */
static bool is_own_origin(const struct view_server *s, struct MHD_Connection *c)
{
	const char *origin = header(c, "Origin");
	const char *site = header(c, "Sec-Fetch-Site");
	bool is_own = !origin || (strncmp(origin, "http://", 7) == 0 && is_own_host(s, origin + 7));

	return is_own && (!site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0);
}

/* Takes the token once, so that the address, which others may see, does not keep it. */
static enum MHD_Result welcome(const struct view_server *s, struct MHD_Connection *c)
{
	char cookie[200];
	char folder[VIEW_SECRET_DIGITS + 3];
	struct MHD_Response *r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);

	snprintf(folder, sizeof(folder), "/%s/", s->folder);
	snprintf(cookie, sizeof(cookie), COOKIE "=%s; HttpOnly; SameSite=Strict; Path=%s", s->token,
		folder);
	MHD_add_response_header(r, "Set-Cookie", cookie);
	MHD_add_response_header(r, "Location", folder);
	MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(r, "Cache-Control", "no-store");
	enum MHD_Result result = MHD_queue_response(c, MHD_HTTP_FOUND, r);

	MHD_destroy_response(r);
	return result;
}

/* ---- Requests ---- */

static const char *get_argument(void *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result send_file(struct MHD_Connection *c, const char *path)
{
	enum MHD_Result result;
	struct out out;

	for (const struct view_file *f = view_files; f->path; f++) {
		if (strcmp(f->path, path) == 0) {
			out_init(&out, OUT_TO_MEMORY);
			for (const char *const *line = f->lines; *line; line++) {
				out_str(&out, *line);
			}
			result = send_text(c, MHD_HTTP_OK, f->type, &out);
			out_fini(&out);
			return result;
		}
	}
	return refuse(c, MHD_HTTP_NOT_FOUND, "there is no such page");
}

/* An answer that is being made, then sent. */
struct answering {
	struct view_server *server;
	struct running_question running;
	struct view_reply reply;
	size_t sent; /* bytes of reply.out */
	bool is_long;
};

static void end_answer(void *answering)
{
	struct answering *a = answering;

	if (a->reply.stream) {
		a->reply.stream->close(a->reply.stream);
	}
	if (a->is_long) {
		running_end(&a->server->running, &a->running);
	}
	out_fini(&a->reply.out);
	free(a);
}

/* Gives libmicrohttpd the next bytes of a stream; an end that is too early is an error for it. */
static ssize_t next_bytes(void *answering, uint64_t position, char *bytes, size_t room)
{
	struct answering *a = answering;
	struct out *out = &a->reply.out;
	bool has_more = true;

	(void)position;
	if (a->sent == out->len) {
		a->sent = out->len = 0;
		while (out->len < room && has_more) {
			has_more = a->reply.stream->more(a->reply.stream, out);
		}
	}
	size_t left = out->len - a->sent;
	size_t count = left < room ? left : room;

	if (running_is_over(&a->running.is_over)) {
		return MHD_CONTENT_READER_END_WITH_ERROR;
	}
	if (count == 0) {
		return MHD_CONTENT_READER_END_OF_STREAM;
	}
	memcpy(bytes, out->data + a->sent, count);
	a->sent += count;
	return (ssize_t)count;
}

static struct answering *begin_answer(
	struct view_server *s, struct MHD_Connection *c, const char *path)
{
	struct answering *a = xcalloc(1, sizeof(*a));
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	a->server = s;
	out_init(&a->reply.out, OUT_TO_MEMORY);
	a->is_long = info && view_is_long(path);
	if (a->is_long) {
		a->running.fd = info->connect_fd;
		running_begin(&s->running, &a->running);
	}
	return a;
}

/* Sets after how long a silent connection is closed; 0: never. */
static void set_patience(struct MHD_Connection *c, unsigned int seconds)
{
	MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

static enum MHD_Result answer(struct view_server *s, struct MHD_Connection *c, const char *path)
{
	struct answering *a = begin_answer(s, c, path);
	const struct question q = {
		.get = get_argument, .data = c, .is_over = &a->running.is_over
	};
	struct view_reply *reply = &a->reply;

	if (a->is_long) { /* libmicrohttpd takes the time of an answer for silence */
		set_patience(c, 0);
	}
	unsigned int status = view_answer(s->viewer, path, &q, reply);

	if (status == MHD_HTTP_NOT_FOUND) {
		end_answer(a);
		return send_file(c, path);
	}
	if (reply->stream) {
		/* Ends the answer when it was sent, or cannot be. */
		return send_response(c, status, reply,
			MHD_create_response_from_callback(
				MHD_SIZE_UNKNOWN, STREAM_BLOCK, next_bytes, a, end_answer));
	}
	if (a->is_long) {
		set_patience(c, SECONDS_IDLE);
	}
	enum MHD_Result result = send_response(c, status, reply,
		MHD_create_response_from_buffer(
			reply->out.len, reply->out.data, MHD_RESPMEM_MUST_COPY));

	end_answer(a);
	return result;
}

struct refusal {
	unsigned int status; /* 0: none */
	const char *why;
};

/* True for the address that the command printed. */
static bool is_first_visit(const struct view_server *s, struct MHD_Connection *c, const char *path)
{
	return strcmp(path, "/") == 0 && is_token(s, get_argument(c, "token"));
}

/* Decides by the header of a request whether it is the user's, and as it must be. */
static struct refusal judge(
	const struct view_server *s, struct MHD_Connection *c, const char *path, const char *method)
{
	const char *inside = path_inside(s, path);
	bool is_switch = inside && strcmp(inside, VIEW_SWITCH) == 0;

	if (strcmp(method, is_switch ? "POST" : "GET") != 0) {
		return (struct refusal){ MHD_HTTP_METHOD_NOT_ALLOWED,
			"this is not how it is asked" };
	}
	if (!is_own_host(s, header(c, "Host"))) {
		return (struct refusal){ MHD_HTTP_MISDIRECTED_REQUEST,
			"this server has another name" };
	}
	if (!is_own_origin(s, c)) {
		return (struct refusal){ MHD_HTTP_FORBIDDEN,
			"only this server's own page may ask: type or paste its address" };
	}
	if (!is_first_visit(s, c, path) &&
		!(inside && is_token(s, MHD_lookup_connection_value(c, MHD_COOKIE_KIND, COOKIE)))) {
		return (struct refusal){ MHD_HTTP_UNAUTHORIZED,
			"open the address that " VIEW_NAME " printed, with its token" };
	}
	return (struct refusal){ 0 };
}

/* Takes the header of a request. A stranger's body is not read: the connection ends. */
static enum MHD_Result begin_request(
	struct view_server *s, struct MHD_Connection *c, const char *path, const char *method)
{
	const struct refusal r = judge(s, c, path, method);

	if (r.status) {
		return refuse(c, r.status, r.why);
	}
	strangers_know(&s->strangers,
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
	__atomic_store_n(&s->asked, seconds(), __ATOMIC_RELAXED);
	return MHD_YES;
}

/* libmicrohttpd's function for each request: called for its header, its body and its end. */
static enum MHD_Result handle(void *server, struct MHD_Connection *c, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **state)
{
	struct view_server *s = server;

	(void)version;
	(void)upload;
	if (!*state) {
		*state = s;
		return begin_request(s, c, path, method);
	}
	if (*upload_size > 0) {
		*upload_size = 0;
		return MHD_YES;
	}
	const char *inside = path_inside(s, path);

	return inside ? answer(s, c, inside) : welcome(s, c);
}

/* libmicrohttpd's function for each connection that begins or ends. */
static void note_connection(void *server, struct MHD_Connection *c, void **stranger,
	enum MHD_ConnectionNotificationCode code)
{
	struct view_server *s = server;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*stranger = strangers_enter(&s->strangers,
			MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
	} else {
		strangers_leave(&s->strangers, *stranger);
	}
}

/* ---- The server ---- */

static int open_port(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int yes = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
			       bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
			       listen(fd, SOMAXCONN) != 0)) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in address = { 0 };
	socklen_t size = sizeof(address);

	getsockname(fd, (struct sockaddr *)&address, &size);
	return ntohs(address.sin_port);
}

/* Opens the place; -1, reported, if it is taken or may not be used. */
static int open_place(struct view_server *s, const struct view_place *place)
{
	char error[SOCKET_ERROR_SIZE];
	int fd;

	if (place->socket) {
		fd = socket_listen(place->socket, &s->file, error, sizeof(error));
		if (fd < 0) {
			session_say(s->viewer->session, "--listen: %s", error);
		}
		return fd;
	}
	fd = open_port(place->port);
	if (fd < 0) {
		session_say(s->viewer->session, "port %u: %s", place->port, strerror(errno));
		return -1;
	}
	s->port = port_of(fd);
	return fd;
}

/* Begins to answer the connections of `fd`; false, reported, if that is not possible. */
static bool begin(struct view_server *s, int fd)
{
	int failed = running_init(&s->running);

	if (failed) {
		session_say(s->viewer->session, "cannot start a thread: %s", strerror(failed));
		return false;
	}
	strangers_init(&s->strangers);
	/*
	 * A thread for each connection: a question that takes long holds up no other. The ITC
	 * wakes the thread that frees them.
	 */
	s->daemon = MHD_start_daemon(MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD |
					     MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC,
		0, NULL, NULL, handle, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned int)SECONDS_IDLE, MHD_OPTION_NOTIFY_CONNECTION, note_connection, s,
		MHD_OPTION_END);
	if (!s->daemon) {
		session_say(s->viewer->session, "cannot serve: %s", strerror(errno));
		strangers_fini(&s->strangers);
		running_fini(&s->running);
	}
	return s->daemon;
}

struct view_server *view_serve(struct viewer *v, const struct view_place *place, const char *token)
{
	struct view_server *s = xcalloc(1, sizeof(*s));

	s->viewer = v;
	s->token = token;
	s->asked = seconds();
	if (!view_make_secret(s->folder)) {
		session_say(v->session, "no random bytes: %s", strerror(errno));
		free(s);
		return NULL;
	}
	int fd = open_place(s, place);

	if (fd >= 0 && begin(s, fd)) {
		return s;
	}
	if (fd >= 0) {
		socket_remove(&s->file);
		close(fd);
	}
	free(s);
	return NULL;
}

uint16_t view_port(const struct view_server *s)
{
	return s->port;
}

const char *view_socket(const struct view_server *s)
{
	return s->file.path;
}

uint64_t view_idle(struct view_server *s)
{
	if (running_count(&s->running) > 0) {
		return 0;
	}
	return seconds() - __atomic_load_n(&s->asked, __ATOMIC_RELAXED);
}

void view_stop(struct view_server *s)
{
	socket_remove(&s->file);
	running_stop(&s->running);
	MHD_stop_daemon(s->daemon);
	strangers_fini(&s->strangers);
	running_fini(&s->running);
	free(s);
}
