/* SPDX-License-Identifier: MIT */
/* See reach.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "mon/server/client.h"
#include "mon/server/fail.h"
#include "mon/server/io.h"
#include "mon/server/monitors.h"
#include "mon/server/reach.h"
#include "mon/server/server.h"
#include "rt/host/open.h"

/* Connections that are accepted before others get their turn. */
#define ACCEPTS 16

/* A place whose owner cannot be told: it may just have ended. */
#define TRIES 5
#define OWNER_PATIENCE_MS 100

/* Why a connection is closed. */
enum refusal { REFUSED_USER, REFUSED_MANY, REFUSED_IDLE };

static int add_client(struct waymark_monitor *m, int in, int out)
{
	struct client *c = client_create(m, in, out);

	if (!c) {
		return -1;
	}
	c->next = m->clients;
	m->clients = c;
	return 0;
}

/* The last line that a client gets: why its connection is closed. */
static const char *last_line(const struct waymark_monitor *m, enum refusal why)
{
#define LAST_LINE(text)                                                                   \
	{                                                                                 \
		"{\"error\": {\"class\": \"GenericError\", \"desc\": \"" text "\"}}\r\n", \
			"error: " text "\r\n"                                             \
	}
	static const char *const lines[][2] = {
		[REFUSED_USER] = LAST_LINE("not this process's user"),
		[REFUSED_MANY] = LAST_LINE("too many clients: all that are connected are busy or "
					   "attached; try again later"),
		[REFUSED_IDLE] = LAST_LINE("closed because it was idle: another client needed the "
					   "place; connect again"),
	};

	return lines[why][m->options.mode == WAYMARK_MONITOR_HMP];
}

static void turn_away(const struct waymark_monitor *m, int fd, enum refusal why)
{
	const char *line = last_line(m, why);

	io_write(fd, true, line, strlen(line));
	waymark_close(fd);
}

static bool is_root_elsewhere(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return geteuid() != 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       peer.uid == 0;
}

/* Whether one client more may come; if need be, the one that is idle longest is closed for it. */
static bool make_room(const struct waymark_monitor *m, int fd)
{
	uint64_t before_ns = clock_now_ns() - REACH_IDLE_MS * UINT64_C(1000000);
	struct client *idle = NULL;
	unsigned int count = 0;

	for (struct client *c = m->clients; c; c = c->next) {
		count += !c->dead;
	}
	if (count < REACH_CLIENTS_MAX) {
		return true;
	}
	for (struct client *c = m->clients; c; c = c->next) {
		if (client_is_idle(c, idle ? idle->used_ns : before_ns)) {
			idle = c;
		}
	}
	if (idle) {
		client_dismiss(idle, last_line(m, REFUSED_IDLE));
	}
	return idle || (count < REACH_CLIENTS_MAX + REACH_ROOTS_MORE && is_root_elsewhere(fd));
}

static int socket_option(int fd, int option)
{
	socklen_t size = sizeof(int);
	int value = -1;

	return getsockopt(fd, SOL_SOCKET, option, &value, &size) ? -1 : value;
}

static bool is_welcome(int fd)
{
	return socket_option(fd, SO_DOMAIN) != AF_UNIX || socket_peer_is_us(fd);
}

/* Whether there may be others to accept at once. */
static bool is_passing(int error)
{
	return error == EAGAIN || error == EINTR || error == ECONNABORTED;
}

static bool is_deaf(int error)
{
	return error == EINVAL || error == EBADF || error == ENOTSOCK || error == EOPNOTSUPP;
}

/* Shortages pass, a sandbox's refusal does not: trying again at once were in vain. */
static void cannot_accept(struct waymark_monitor *m, int error)
{
	if (is_deaf(error)) {
		watch_close(m->epoll, &m->listener); /* it does not listen any more */
	} else if (!is_passing(error)) {
		watch_set(m->epoll, &m->listener, 0);
		server_call_later(m);
	}
}

static void accept_clients(struct waymark_monitor *m, struct watch *w)
{
	for (int i = 0; i < ACCEPTS; i++) {
		int fd = io_accept(w->fd);

		if (fd < 0) {
			cannot_accept(m, errno);
			return;
		}
		if (!is_welcome(fd)) {
			turn_away(m, fd, REFUSED_USER);
		} else if (!make_room(m, fd)) {
			turn_away(m, fd, REFUSED_MANY);
		} else {
			add_client(m, fd, -1);
		}
	}
}

void reach_listen(struct waymark_monitor *m)
{
	if (watch_set(m->epoll, &m->listener, EPOLLIN)) {
		server_call_later(m);
	}
}

static int listen_at(struct waymark_monitor *m, int fd, struct waymark_error *error)
{
	watch_init(&m->listener, fd, accept_clients, m);
	if (watch_set(m->epoll, &m->listener, EPOLLIN)) {
		return mon_fail(error, "epoll: %s", strerrordesc_np(errno));
	}
	return 0;
}

static int open_path(struct waymark_monitor *m, struct waymark_error *error)
{
	char text[SOCKET_ERROR_SIZE];
	int fd = socket_listen(m->place.path, &m->file, text, sizeof(text));

	if (fd < 0) {
		return mon_fail(error, "%s", text);
	}
	return listen_at(m, fd, error);
}

static int open_stdio(struct waymark_monitor *m, struct waymark_error *error)
{
	int in = io_open_again(STDIN_FILENO);
	int out = io_open_again(STDOUT_FILENO);

	if (in < 0 || out < 0) {
		waymark_close(in < 0 ? out : in);
		return mon_fail(
			error, "stdio: standard %s is not open", in < 0 ? "input" : "output");
	}
	return add_client(m, in, out) ? mon_fail(error, "stdio: it is closed, or no memory") : 0;
}

/* A copy of one that was given, which is nobody else's. */
static int take(int given, struct waymark_error *error)
{
	int fd = io_copy(given);

	if (fd < 0 || io_set_nonblocking(fd)) {
		mon_fail(error, "fd:%d: %s", given, strerrordesc_np(errno));
		waymark_close(fd);
		return -1;
	}
	return fd;
}

static int open_socket(struct waymark_monitor *m, struct waymark_error *error)
{
	int given = m->place.fd;
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);
	bool listens = socket_option(given, SO_ACCEPTCONN) == 1;

	if (socket_option(given, SO_TYPE) != SOCK_STREAM) {
		return mon_fail(error, "fd:%d: a socket, but of no stream", given);
	}
	if (!listens && getpeername(given, (struct sockaddr *)&peer, &size)) {
		return mon_fail(
			error, "fd:%d: a socket that neither listens nor is connected", given);
	}
	int fd = take(given, error);

	if (fd < 0) {
		return -1;
	}
	if (listens) {
		return listen_at(m, fd, error);
	}
	return add_client(m, fd, -1) ? mon_fail(error, "fd:%d: it is closed, or no memory", given)
				     : 0;
}

static int open_device(struct waymark_monitor *m, struct waymark_error *error)
{
	int given = m->place.fd;
	int fd;

	if ((fcntl(given, F_GETFL) & O_ACCMODE) != O_RDWR) {
		return mon_fail(error, "fd:%d: it is not open for reading and writing", given);
	}
	fd = take(given, error);
	if (fd < 0) {
		return -1;
	}
	return add_client(m, fd, -1) ? mon_fail(error, "fd:%d: it is closed, or no memory", given)
				     : 0;
}

static int open_fd(struct waymark_monitor *m, struct waymark_error *error)
{
	int given = m->place.fd;
	struct stat st;

	if (waymark_stat(given, &st)) {
		return mon_fail(error, "fd:%d: %s", given, strerrordesc_np(errno));
	}
	if (S_ISSOCK(st.st_mode)) {
		return open_socket(m, error);
	}
	if (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)) {
		return open_device(m, error);
	}
	return mon_fail(error, "fd:%d: neither a socket nor a terminal", given);
}

int reach_open(struct waymark_monitor *m, struct waymark_error *error)
{
	static int (*const open[])(struct waymark_monitor * m, struct waymark_error * error) = {
		[PLACE_DEFAULT] = open_path,
		[PLACE_PATH] = open_path,
		[PLACE_STDIO] = open_stdio,
		[PLACE_FD] = open_fd,
	};

	if (m->place.kind == PLACE_DEFAULT && !m->options.yields) {
		monitors_end_yielding();
	}
	return open[m->place.kind](m, error);
}

static pid_t find_owner(const char *path)
{
	int fd = socket_connect(path, OWNER_PATIENCE_MS, NULL, 0);
	struct ucred peer = { .pid = 0 };
	socklen_t size = sizeof(peer);

	if (fd < 0) {
		return 0;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size)) {
		peer.pid = 0;
	}
	waymark_close(fd);
	return peer.pid == getpid() ? 0 : peer.pid;
}

static void owner_has_ended(struct waymark_monitor *m, struct watch *w)
{
	watch_close(m->epoll, w);
	m->tries = 0;
	reach_open_later(m);
}

static bool wait_for_owner(struct waymark_monitor *m)
{
	pid_t owner = m->place.of_process ? 0 : find_owner(m->place.path);
	int fd = owner > 0 ? io_process(owner) : -1;

	if (fd < 0) {
		return false;
	}
	watch_init(&m->owner, fd, owner_has_ended, m);
	if (watch_set(m->epoll, &m->owner, EPOLLIN) == 0) {
		return true;
	}
	watch_close(m->epoll, &m->owner);
	return false;
}

void reach_open_later(struct waymark_monitor *m)
{
	if (open_path(m, NULL) == 0 || wait_for_owner(m)) {
		m->wants_place = false;
	} else if (m->tries++ < TRIES) {
		m->wants_place = true;
		server_call_later(m);
	} else {
		m->wants_place = false;
	}
}
