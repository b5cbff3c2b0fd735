/* SPDX-License-Identifier: MIT */
/*
 * Reads the address of a monitor, opens it and accepts clients. A given descriptor, or the standard
 * streams, is one client, unless it is a listening socket.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "mon/server/client.h"
#include "mon/server/server.h"
#include "rt/host/open.h"

/* Connections accepted before the loop polls other descriptors. */
#define ACCEPTS 16

/* Attempts to open an address without a known owner, which may just have exited. */
#define TRIES 5
#define OWNER_TIMEOUT_MS 100

/* ---- The option `where` ---- */

/*
 * Makes a path absolute: a daemon changes its directory before its child takes over the socket.
 * Keeps the path relative if the directory's name has a `%`, which socket_listen() would refuse.
 */
static char *absolute(const char *path)
{
	char directory[PATH_MAX];
	char *whole = NULL;

	if (*path == '/' || !getcwd(directory, sizeof(directory)) || *directory != '/' ||
		strchr(directory, '%')) {
		return strdup(path);
	}
	return asprintf(&whole, "%s/%s", strcmp(directory, "/") ? directory : "", path) < 0 ? NULL
											    : whole;
}

static int init_path(struct address *a, const char *path, struct waymark_error *error)
{
	if (!*path) {
		return mon_fail(error, "the path of the socket is empty");
	}
	a->kind = ADDRESS_PATH;
	a->of_process = strstr(path, "%d") != NULL;
	a->path = absolute(path);
	return a->path ? 0 : mon_fail(error, "%s: no memory", path);
}

int address_init(struct address *a, const char *where, struct waymark_error *error)
{
	*a = (struct address){ .kind = ADDRESS_DEFAULT, .fd = -1, .of_process = true };
	if (!where || strcmp(where, "on") == 0) {
		return 0;
	}
	if (strcmp(where, "stdio") == 0) {
		a->kind = ADDRESS_STDIO;
		return 0;
	}
	if (strncmp(where, "fd:", 3) == 0) {
		char *end;
		long fd = strtol(where + 3, &end, 10);

		if (where[3] < '0' || where[3] > '9' || *end || fd > INT_MAX) {
			return mon_fail(
				error, "%s: give the number of a descriptor after fd:", where);
		}
		a->kind = ADDRESS_FD;
		a->fd = (int)fd;
		return 0;
	}
	return init_path(a, where, error);
}

void address_fini(struct address *a)
{
	free(a->path);
	a->path = NULL;
}

/* ---- Clients ---- */

/* Reasons for closing a connection. */
enum refusal { REFUSED_USER, REFUSED_MANY, REFUSED_IDLE };

/* Takes ownership of the descriptors. Returns 0, or -1 if no client was created. */
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

/* Returns the line that a client gets before its connection is closed. */
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

static void refuse(const struct waymark_monitor *m, int fd, enum refusal why)
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

/*
 * True if there is room for a client, if necessary after closing the one that has been idle
 * longest.
 */
static bool make_room(const struct waymark_monitor *m, int fd)
{
	uint64_t before_ns = clock_now_ns() - ADDRESS_IDLE_MS * UINT64_C(1000000);
	struct client *idle = NULL;
	unsigned int count = 0;

	for (struct client *c = m->clients; c; c = c->next) {
		count += !c->dead;
	}
	if (count < ADDRESS_CLIENTS_MAX) {
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
	return idle || (count < ADDRESS_CLIENTS_MAX + ADDRESS_ROOTS_MORE && is_root_elsewhere(fd));
}

static int socket_option(int fd, int option)
{
	socklen_t size = sizeof(int);
	int value = -1;

	return getsockopt(fd, SOL_SOCKET, option, &value, &size) ? -1 : value;
}

static void cannot_accept(struct waymark_monitor *m, int error)
{
	switch (error) {
	case EAGAIN:
	case EINTR:
	case ECONNABORTED:
		return; /* epoll reports further connections */
	case EINVAL:
	case EBADF:
	case ENOTSOCK:
	case EOPNOTSUPP:
		watch_close(m->epoll, &m->listener); /* it no longer listens */
		return;
	default: /* a temporary shortage, or a sandbox, which would refuse an immediate retry */
		watch_set(m->epoll, &m->listener, 0);
		server_retry_later(m);
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
		bool is_local = socket_option(fd, SO_DOMAIN) == AF_UNIX;

		if (is_local && !socket_peer_is_us(fd)) {
			refuse(m, fd, REFUSED_USER);
		} else if (!make_room(m, fd)) {
			refuse(m, fd, REFUSED_MANY);
		} else {
			add_client(m, fd, -1);
		}
	}
}

void address_listen(struct waymark_monitor *m)
{
	if (watch_set(m->epoll, &m->listener, EPOLLIN)) {
		server_retry_later(m);
	}
}

/* ---- Opening ---- */

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
	int fd = socket_listen(m->address.path, &m->file, text, sizeof(text));

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

/* Copies a given descriptor; the copy is non-blocking. */
static int copy_given(int given, struct waymark_error *error)
{
	int fd = io_copy(given);

	if (fd < 0 || io_set_nonblocking(fd)) {
		mon_fail(error, "fd:%d: %s", given, strerrordesc_np(errno));
		waymark_close(fd);
		return -1;
	}
	return fd;
}

static int open_client(struct waymark_monitor *m, int given, struct waymark_error *error)
{
	int fd = copy_given(given, error);

	if (fd < 0) {
		return -1;
	}
	return add_client(m, fd, -1) ? mon_fail(error, "fd:%d: it is closed, or no memory", given)
				     : 0;
}

static int open_socket(struct waymark_monitor *m, struct waymark_error *error)
{
	int given = m->address.fd;
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);
	bool listens = socket_option(given, SO_ACCEPTCONN) == 1;

	if (socket_option(given, SO_TYPE) != SOCK_STREAM) {
		return mon_fail(error, "fd:%d: not a stream socket", given);
	}
	if (!listens && getpeername(given, (struct sockaddr *)&peer, &size)) {
		return mon_fail(error, "fd:%d: the socket neither listens nor is connected", given);
	}
	if (!listens) {
		return open_client(m, given, error);
	}
	int fd = copy_given(given, error);

	return fd < 0 ? -1 : listen_at(m, fd, error);
}

static int open_device(struct waymark_monitor *m, struct waymark_error *error)
{
	int given = m->address.fd;

	if ((fcntl(given, F_GETFL) & O_ACCMODE) != O_RDWR) {
		return mon_fail(error, "fd:%d: it is not open for reading and writing", given);
	}
	return open_client(m, given, error);
}

static int open_fd(struct waymark_monitor *m, struct waymark_error *error)
{
	int given = m->address.fd;
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

int address_open(struct waymark_monitor *m, struct waymark_error *error)
{
	static int (*const open[])(struct waymark_monitor * m, struct waymark_error * error) = {
		[ADDRESS_DEFAULT] = open_path,
		[ADDRESS_PATH] = open_path,
		[ADDRESS_STDIO] = open_stdio,
		[ADDRESS_FD] = open_fd,
	};

	return open[m->address.kind](m, error);
}

/* ---- In the child of a fork ---- */

/* Returns the process that listens at a path; 0 if there is none, or if it is unknown. */
static pid_t find_owner(const char *path)
{
	int fd = socket_connect(path, OWNER_TIMEOUT_MS, NULL, 0);
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

static void owner_has_exited(struct waymark_monitor *m, struct watch *w)
{
	watch_close(m->epoll, w);
	m->tries = 0;
	address_open_later(m);
}

static bool wait_for_owner(struct waymark_monitor *m)
{
	pid_t owner = m->address.of_process ? 0 : find_owner(m->address.path);
	int fd = owner > 0 ? io_process(owner) : -1;

	if (fd < 0) {
		return false;
	}
	watch_init(&m->owner, fd, owner_has_exited, m);
	if (watch_set(m->epoll, &m->owner, EPOLLIN) == 0) {
		return true;
	}
	watch_close(m->epoll, &m->owner);
	return false;
}

void address_open_later(struct waymark_monitor *m)
{
	bool is_done = open_path(m, NULL) == 0 || wait_for_owner(m);

	m->wants_address = !is_done && m->tries++ < TRIES;
	if (m->wants_address) {
		server_retry_later(m);
	}
}
