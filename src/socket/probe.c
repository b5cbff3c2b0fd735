/* SPDX-License-Identifier: MIT */
/* See probe.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "socket/descriptor.h"
#include "socket/probe.h"

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
	result = socket_try(fd, &address) ? errno : 0;
	waymark_close(fd);
	return result == EAGAIN ? 0 : result;
}

/* Says what else than a socket of ours has the name. */
static int check_ours(const struct stat *st, const struct target *t, const struct fail *f)
{
	if (S_ISLNK(st->st_mode)) {
		return socket_fail(
			f, "%s: a symbolic link is there; remove it or take another name", t->path);
	}
	if (!S_ISSOCK(st->st_mode)) {
		return socket_fail(
			f, "%s: something is there that is no socket; take another name", t->path);
	}
	if (st->st_uid != geteuid()) {
		return socket_fail(f, "%s: a socket of user %u is there; take another name",
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
			f, "%s: a program listens there already; take another name", t->path);
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
