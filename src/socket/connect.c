/* SPDX-License-Identifier: MIT */
/*
 * Connects to a socket that the program or user named, whose listener must be a process of ours or
 * root's; also connects once to check whether a socket is stale.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "socket/internal.h"

int socket_create(void)
{
	return waymark_above_standard(
		(int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

static int connect_once(int fd, const struct sockaddr_un *address)
{
	return (int)syscall(SYS_connect, fd, address, sizeof(*address));
}

int socket_probe(const struct target *t)
{
	struct sockaddr_un address;
	int fd;
	int result;

	if (socket_target_address(t, &address, &(struct fail){ 0 })) {
		return ENAMETOOLONG;
	}
	fd = socket_create();
	if (fd < 0) {
		return errno;
	}
	result = connect_once(fd, &address) ? errno : 0;
	waymark_close(fd);
	return result == EAGAIN ? 0 : result;
}

/* Fails if the name belongs to anything other than a socket of ours. */
static int check_ours(const struct stat *st, const struct target *t, const struct fail *f)
{
	if (S_ISLNK(st->st_mode)) {
		return socket_fail(f,
			"%s: a symbolic link is there; remove it or choose another name", t->path);
	}
	if (!S_ISSOCK(st->st_mode)) {
		return socket_fail(
			f, "%s: exists and is not a socket; choose another name", t->path);
	}
	if (st->st_uid != geteuid()) {
		return socket_fail(f, "%s: a socket of user %u is there; choose another name",
			t->path, (unsigned int)st->st_uid);
	}
	return 0;
}

int socket_remove_stale(const struct target *t, const struct fail *f)
{
	struct stat st;

	if (fstatat(t->directory, socket_target_name(t), &st, AT_SYMLINK_NOFOLLOW)) {
		return errno == ENOENT ? 0 : socket_fail_errno(f, t->path, NULL);
	}
	if (check_ours(&st, t, f)) {
		return -1;
	}
	int state = socket_probe(t);

	errno = state;
	if (state == 0 || state == EPROTOTYPE) {
		return socket_fail(
			f, "%s: a program listens there already; choose another name", t->path);
	}
	if (state != ECONNREFUSED) {
		return state == ENOENT ? 0 : socket_fail_errno(f, t->path, NULL);
	}
	if (unlinkat(t->directory, socket_target_name(t), 0) && errno != ENOENT) {
		return socket_fail_errno(
			f, t->path, "left by a program that has ended, cannot be removed");
	}
	return 0;
}

/* ---- The client ---- */

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

static int fail_connect(const char *path, const struct fail *f)
{
	switch (errno) {
	case ECONNREFUSED:
		return socket_fail(f, "%s: no program listens there: it has ended", path);
	case EAGAIN:
		return socket_fail(
			f, "%s: the program does not answer: its queue of clients is full", path);
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

/* Connects and checks the listener. Returns 0, or -1 with the error. */
static int reach(int fd, const struct target *t, int timeout_ms, const struct fail *f)
{
	int64_t deadline = socket_deadline(timeout_ms);
	struct sockaddr_un address;

	if (socket_target_address(t, &address, f)) {
		return -1;
	}
	/* Retries while the queue is full. */
	while (connect_once(fd, &address)) {
		if (errno != EAGAIN || !socket_wait_again(deadline)) {
			return fail_connect(t->path, f);
		}
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
