/* SPDX-License-Identifier: MIT */
/*
 * Serves the page and its questions, by libmicrohttpd, to the user who started it. The traces are
 * private: another user of the machine can connect to the port, and a page of another site can make
 * the browser do so. So each request must show the token, in the address or as a cookie, that the
 * command printed; must name this server as its Host, which a name that was bound to this machine
 * does not; and must not come from a page of another origin.
 */
#include <microhttpd.h>

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "cmd/view/view.h"
#include "socket/socket.h"

#define CONNECTIONS_MAX 64
#define SECONDS_IDLE 30 /* of a connection */
#define COOKIE "waymark"

struct view_server {
	struct viewer *viewer;
	struct MHD_Daemon *daemon;
	const char *token;
	struct socket_file file; /* of the socket; zeroed: a port */
	uint16_t port; /* 0: a socket */
	uint64_t asked; /* atomic: time of the last question, in seconds */
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
} headers[] = {
	{ "Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
		"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Cache-Control", "no-store" },
};

/* Sends `out`, which it frees. */
static enum MHD_Result reply(
	struct MHD_Connection *c, unsigned int status, const char *type, struct out *out)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(out->len, out->data, MHD_RESPMEM_MUST_COPY);

	out_fini(out);
	if (!r) {
		return MHD_NO;
	}
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		MHD_add_response_header(r, headers[i].name, headers[i].value);
	}
	MHD_add_response_header(r, "Content-Type", type);
	enum MHD_Result result = MHD_queue_response(c, status, r);

	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned int status, const char *why)
{
	struct out out;

	out_init(&out, OUT_TO_MEMORY);
	out_printf(&out, "%s\n", why);
	return reply(c, status, "text/plain; charset=utf-8", &out);
}

/* ---- Who may ask ---- */

/* Compares in a time that does not tell how many characters are equal. */
static bool is_token(const struct view_server *s, const char *text)
{
	size_t length = strlen(s->token);
	unsigned char differs = 0;

	if (!text || strlen(text) != length) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		differs |= (unsigned char)(text[i] ^ s->token[i]);
	}
	return differs == 0;
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

/* Shows the token once, so that the address, which others may see, does not keep it. */
static enum MHD_Result welcome(const struct view_server *s, struct MHD_Connection *c)
{
	char cookie[200];
	struct MHD_Response *r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);

	snprintf(cookie, sizeof(cookie), COOKIE "=%s; HttpOnly; SameSite=Strict; Path=/", s->token);
	MHD_add_response_header(r, "Set-Cookie", cookie);
	MHD_add_response_header(r, "Location", "/");
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
	struct out out;

	for (const struct view_file *f = view_files; f->path; f++) {
		if (strcmp(f->path, path) == 0) {
			out_init(&out, OUT_TO_MEMORY);
			for (const char *const *line = f->lines; *line; line++) {
				out_str(&out, *line);
			}
			return reply(c, MHD_HTTP_OK, f->type, &out);
		}
	}
	return refuse(c, MHD_HTTP_NOT_FOUND, "there is no such page");
}

static enum MHD_Result answer(struct view_server *s, struct MHD_Connection *c, const char *path)
{
	const struct question q = { get_argument, c };
	struct out out;

	out_init(&out, OUT_TO_MEMORY);
	unsigned int status = view_answer(s->viewer, path, &q, &out);

	if (status == MHD_HTTP_NOT_FOUND) {
		out_fini(&out);
		return send_file(c, path);
	}
	return reply(c, status, "application/json", &out);
}

/* libmicrohttpd's function for each request. */
static enum MHD_Result handle(void *server, struct MHD_Connection *c, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **state)
{
	struct view_server *s = server;
	const char *cookie = MHD_lookup_connection_value(c, MHD_COOKIE_KIND, COOKIE);

	(void)version;
	(void)upload;
	(void)state;
	*upload_size = 0;
	if (strcmp(method, strcmp(path, VIEW_SWITCH) == 0 ? "POST" : "GET") != 0) {
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "this is not how it is asked");
	}
	if (!is_own_host(s, header(c, "Host"))) {
		return refuse(c, MHD_HTTP_MISDIRECTED_REQUEST, "this server has another name");
	}
	if (!is_own_origin(s, c)) {
		return refuse(c, MHD_HTTP_FORBIDDEN, "only this server's own page may ask");
	}
	if (strcmp(path, "/") == 0 && is_token(s, get_argument(c, "token"))) {
		return welcome(s, c);
	}
	if (!is_token(s, cookie)) {
		return refuse(c, MHD_HTTP_UNAUTHORIZED,
			"open the address that " VIEW_NAME " printed, with its token");
	}
	__atomic_store_n(&s->asked, seconds(), __ATOMIC_RELAXED);
	return answer(s, c, path);
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
			       listen(fd, CONNECTIONS_MAX) != 0)) {
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

struct view_server *view_serve(struct viewer *v, const struct view_place *place, const char *token)
{
	struct view_server *s = xcalloc(1, sizeof(*s));

	s->viewer = v;
	s->token = token;
	s->asked = seconds();
	int fd = open_place(s, place);

	if (fd < 0) {
		free(s);
		return NULL;
	}
	s->daemon = MHD_start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL,
		handle, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned int)SECONDS_IDLE, MHD_OPTION_END);
	if (!s->daemon) {
		session_say(v->session, "cannot serve: %s", strerror(errno));
		socket_remove(&s->file);
		close(fd);
		free(s);
		return NULL;
	}
	return s;
}

uint16_t view_port(const struct view_server *s)
{
	return s->port;
}

const char *view_socket(const struct view_server *s)
{
	return s->file.path;
}

uint64_t view_idle(const struct view_server *s)
{
	return seconds() - __atomic_load_n(&s->asked, __ATOMIC_RELAXED);
}

void view_stop(struct view_server *s)
{
	socket_remove(&s->file);
	MHD_stop_daemon(s->daemon);
	free(s);
}
