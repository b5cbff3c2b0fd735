/* SPDX-License-Identifier: MIT */
/* See directory.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "socket/descriptor.h"
#include "socket/directory.h"
#include "socket/wait.h"

#define LOCK_MS 2000 /* as socket.h says */

/* Says what is wrong with a default directory. Returns 0, or -1 with the error. */
static int check_default(const struct stat *st, uid_t owner, const char *path, const struct fail *f)
{
	if (S_ISLNK(st->st_mode)) {
		return socket_fail(
			f, "%s: a symbolic link, which is not followed here; remove it", path);
	}
	if (!S_ISDIR(st->st_mode)) {
		return socket_fail(f, "%s: not a directory; remove it", path);
	}
	if (st->st_uid != owner) {
		return socket_fail(f,
			"%s: belongs to user %u, not to us (user %u): not used; set XDG_RUNTIME_DIR "
			"to a directory of your own, or name a socket",
			path, (unsigned int)st->st_uid, (unsigned int)owner);
	}
	if (st->st_mode & (S_IWGRP | S_IWOTH)) {
		return socket_fail(f,
			"%s: others may write to it (mode %04o): not used; chmod 700 it", path,
			(unsigned int)st->st_mode & 07777);
	}
	return 0;
}

/* A umask may have left a directory of ours without what we need. */
static int check_and_mend(int fd, const char *path, const struct fail *f)
{
	struct stat st;

	if (waymark_stat(fd, &st)) {
		return socket_fail_errno(f, path, NULL);
	}
	if (check_default(&st, geteuid(), path, f)) {
		return -1;
	}
	if ((st.st_mode & S_IRWXU) != S_IRWXU && socket_chmod(fd, S_IRWXU)) {
		return socket_fail_errno(f, path, "chmod");
	}
	return 0;
}

/* Opened as a path first: that needs no rights to it, and shows a symbolic link as what it is. */
int socket_open_default(const char *path, bool make, const struct fail *f)
{
	if (make && mkdir(path, S_IRWXU) && errno != EEXIST) {
		return socket_fail_errno(f, path, "cannot be made");
	}
	int fd = waymark_open_at(AT_FDCWD, path, O_PATH | O_NOFOLLOW, 0);
	int directory = -1;

	if (fd < 0) {
		return socket_fail_errno(f, path, NULL);
	}
	if (check_and_mend(fd, path, f) == 0) {
		directory = waymark_open_at(fd, ".", O_RDONLY | O_DIRECTORY, 0);
		if (directory < 0) {
			socket_fail_errno(f, path, NULL);
		}
	} else {
		errno = EACCES; /* it is there, but not for us */
	}
	waymark_close(fd);
	return directory;
}

int socket_open_theirs(const char *path, uid_t owner, const struct fail *f)
{
	struct stat st;
	int fd = waymark_open_at(AT_FDCWD, path, O_PATH | O_NOFOLLOW, 0);

	if (fd < 0) {
		return socket_fail_errno(f, path, NULL);
	}
	if (waymark_stat(fd, &st) == 0 && check_default(&st, owner, path, f) == 0) {
		return fd;
	}
	waymark_close(fd);
	return -1;
}

/* Root may connect where a user alone decides what lies there: that user's program answers. */
static int check_theirs(const struct stat *st, const char *path, const struct fail *f)
{
	if (st->st_mode & (S_IWGRP | S_IWOTH)) {
		return socket_fail(f,
			"%s: belongs to user %u, and others may write to it (mode %04o): not used",
			path, (unsigned int)st->st_uid, (unsigned int)st->st_mode & 07777);
	}
	return 0;
}

static int check_given(
	const struct stat *st, bool to_listen, const char *path, const struct fail *f)
{
	bool is_theirs = st->st_uid != geteuid() && st->st_uid != 0;

	if (is_theirs && !to_listen && geteuid() == 0) {
		return check_theirs(st, path, f);
	}
	if (is_theirs) {
		return socket_fail(f,
			"%s: belongs to user %u, not to us (user %u) or root: not used; be that user, "
			"or take a directory of your own",
			path, (unsigned int)st->st_uid, (unsigned int)geteuid());
	}
	if (st->st_mode & S_IWOTH) {
		return socket_fail(f,
			"%s: everybody may write to it (mode %04o): not used; take a directory of your own",
			path, (unsigned int)st->st_mode & 07777);
	}
	return 0;
}

int socket_open_given(const char *path, bool to_listen, uid_t *owner, const struct fail *f)
{
	struct stat st;
	int fd = waymark_open_at(AT_FDCWD, path, (to_listen ? O_RDONLY : O_PATH) | O_DIRECTORY, 0);

	if (fd < 0 || waymark_stat(fd, &st)) {
		waymark_close(fd);
		return socket_fail_errno(f, path, NULL);
	}
	if (check_given(&st, to_listen, path, f)) {
		waymark_close(fd);
		return -1;
	}
	*owner = st.st_uid;
	return fd;
}

/* Not waited for in the kernel: whoever may read the directory could hold us there for ever. */
int socket_lock(int directory, const char *path, const struct fail *f)
{
	int64_t deadline = wait_deadline(LOCK_MS);

	while (flock(directory, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK) {
			return socket_fail_errno(f, path, "cannot be locked");
		}
		if (!wait_again(deadline)) {
			return socket_fail(f, "%s: another program keeps it locked", path);
		}
	}
	return 0;
}

void socket_unlock(int directory)
{
	flock(directory, LOCK_UN);
}
