/* SPDX-License-Identifier: MIT */
/* Connecting, and who is at the other end: see socket.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "socket/descriptor.h"
#include "socket/probe.h"
#include "socket/socket.h"
#include "socket/target.h"
#include "socket/wait.h"

static uid_t peer_of(int fd)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t length = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer.uid : (uid_t)-1;
}

bool socket_peer_is_us(int fd)
{
	uid_t peer = peer_of(fd);

	return peer != (uid_t)-1 && (peer == geteuid() || peer == 0);
}

/* Tries again while the queue is full. Returns 0, or -1 with errno. */
static int try_until(int fd, const struct sockaddr_un *address, int64_t deadline)
{
	while (socket_try(fd, address)) {
		if (errno != EAGAIN || !wait_again(deadline)) {
			return -1;
		}
	}
	return 0;
}

static int say_why(const char *path, const struct fail *f)
{
	switch (errno) {
	case ECONNREFUSED:
		return socket_fail(f, "%s: nobody listens there: its program has ended", path);
	case EAGAIN:
		return socket_fail(
			f, "%s: the program does not answer: too many wait already", path);
	default:
		return socket_fail_errno(f, path, NULL);
	}
}

static int check_peer(int fd, const struct target *t, const struct fail *f)
{
	if (!socket_target_is_theirs(t)) {
		return socket_peer_is_us(fd) ? 0
					     : socket_fail(f,
						       "%s: another user's program listens there, "
						       "neither ours nor root's",
						       t->path);
	}
	return peer_of(fd) == t->owner
		       ? 0
		       : socket_fail(f,
				 "%s: a program of another user than the directory's listens there",
				 t->path);
}

/* Connects and checks who answers. Returns 0, or -1 with the error. */
static int reach(int fd, const struct target *t, int timeout_ms, const struct fail *f)
{
	struct sockaddr_un address;

	if (socket_target_address(t, &address, f)) {
		return -1;
	}
	if (try_until(fd, &address, wait_deadline(timeout_ms))) {
		return say_why(t->path, f);
	}
	if (check_peer(fd, t, f)) {
		return -1;
	}
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK)) {
		return socket_fail_errno(f, t->path, NULL);
	}
	return 0;
}

static int check_socket(struct target *t, const struct fail *f)
{
	struct stat st;

	if (socket_target_is_theirs(t)) {
		return socket_target_open_theirs(t, f);
	}

	if (fstatat(t->directory, socket_target_name(t), &st, AT_SYMLINK_NOFOLLOW)) {
		return socket_fail_errno(f, t->path, NULL);
	}
	if (S_ISLNK(st.st_mode)) {
		return socket_fail(f, "%s: a symbolic link; name the socket itself", t->path);
	}
	if (!S_ISSOCK(st.st_mode)) {
		return socket_fail(f, "%s: not a socket", t->path);
	}
	return 0;
}

static int connect_target(struct target *t, int timeout_ms, const struct fail *f)
{
	int fd;

	if (check_socket(t, f)) {
		return -1;
	}
	fd = socket_create();
	if (fd < 0) {
		return socket_fail_errno(f, t->path, NULL);
	}
	if (reach(fd, t, timeout_ms, f)) {
		waymark_close(fd);
		return -1;
	}
	return fd;
}

int socket_connect(const char *path, int timeout_ms, char *error, size_t size)
{
	const struct fail f = { .text = error, .size = size };
	struct target t;
	int fd;

	if (socket_target_given(&t, path, false, &f)) {
		return -1;
	}
	fd = connect_target(&t, timeout_ms, &f);
	socket_target_close(&t);
	return fd;
}
