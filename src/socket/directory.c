/* SPDX-License-Identifier: MIT */
/*
 * The directories of sockets: the default ones, the checks for safe use, and the lock under which
 * our programs make and remove sockets in one. A directory is opened once and checked through its
 * descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "rt/host/open.h"
#include "socket/internal.h"

/* Errors of this folder: one line of text in the caller's buffer. */

int socket_fail_errno(const struct fail *f, const char *where, const char *what)
{
	/* Not a buffer shared by threads: glibc's belongs to the thread since 2.32. */
	const char *why = strerror(errno);

	return socket_fail(f, "%s: %s%s%s", where, what ? what : "", what ? ": " : "", why);
}

int socket_fail(const struct fail *f, const char *format, ...)
{
	int kept = errno;
	va_list arguments;

	if (!f->size) {
		return -1;
	}
	va_start(arguments, format);
	vsnprintf(f->text, f->size, format, arguments);
	va_end(arguments);
	for (char *c = f->text; *c; c++) {
		if (*c == '\t' || escape_needed((unsigned char)*c)) {
			*c = '?';
		}
	}
	errno = kept;
	return -1;
}

#define LOCK_MS 2000 /* the timeout that socket.h documents */
#define PAUSE_NS 5000000

/* New in Linux 6.6; the same number on all architectures except alpha. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

/* ---- Default places ---- */

/*
 * True for a directory of `owner` to which no other user may write, so that no other user can
 * replace a file in it.
 */
static bool is_safe(const char *path, uid_t owner)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == owner &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool put_below(const char *parent, uid_t owner, char *path, size_t size)
{
	return is_safe(parent, owner) && (size_t)snprintf(path, size, "%s/waymark", parent) < size;
}

/* Returns the places in the order in socket.h. */
bool socket_place(unsigned int n, uid_t user, char *path, size_t size)
{
	const char *xdg = secure_getenv("XDG_RUNTIME_DIR");
	char run_user[32];

	switch (n) {
	case 0:
		/*
		 * A relative path must be ignored (XDG Base Directory Specification); sudo and su
		 * may leave another user's variable. The variable of another user is unknown.
		 */
		return user == geteuid() && xdg && xdg[0] == '/' &&
		       put_below(xdg, user, path, size);
	case 1:
		snprintf(run_user, sizeof(run_user), "/run/user/%u", (unsigned int)user);
		return put_below(run_user, user, path, size);
	case 2:
		return user == 0 && put_below("/run", 0, path, size);
	default:
		return (size_t)snprintf(path, size, "/tmp/waymark-%u", (unsigned int)user) < size;
	}
}

int socket_directory(char *path, size_t size)
{
	for (unsigned int n = 0; n < PLACES; n++) {
		if (socket_place(n, geteuid(), path, size)) {
			return 0;
		}
	}
	errno = ENAMETOOLONG;
	return -1;
}

/* ---- Open and checked ---- */

int socket_chmod(int fd, unsigned int mode)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
	if (chmod(path, mode) == 0) {
		return 0;
	}
	return (int)syscall(SYS_fchmodat2, fd, "", mode, AT_EMPTY_PATH); /* without /proc */
}

/* Requires a directory that only `owner` may write to. */
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

/* Checks a directory of ours, and restores permissions that a umask may have removed. */
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

/*
 * Opens it as a path first: that needs no permissions for it, and does not follow a symbolic link.
 */
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
		errno = EACCES; /* it exists, but we may not use it */
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

/*
 * Root may connect if only the user decides what the directory contains: the answering program is
 * that user's.
 */
static int check_given(
	const struct stat *st, bool to_listen, const char *path, const struct fail *f)
{
	bool is_theirs = st->st_uid != geteuid() && st->st_uid != 0;

	if (is_theirs && !to_listen && geteuid() == 0) {
		return !(st->st_mode & (S_IWGRP | S_IWOTH))
			       ? 0
			       : socket_fail(f,
					 "%s: belongs to user %u, and others may write to it "
					 "(mode %04o): not used",
					 path, (unsigned int)st->st_uid,
					 (unsigned int)st->st_mode & 07777);
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

/* ---- The lock ---- */

int64_t socket_deadline(int ms)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + (ms > 0 ? ms : 0);
}

bool socket_wait_again(int64_t deadline)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	if (socket_deadline(0) >= deadline) {
		return false;
	}
	nanosleep(&pause, NULL);
	return true;
}

/*
 * Never blocks in the kernel, as any user who may read the directory could hold the lock for ever.
 */
int socket_lock(int directory, const char *path, const struct fail *f)
{
	int64_t deadline = socket_deadline(LOCK_MS);

	while (flock(directory, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK) {
			return socket_fail_errno(f, path, "cannot be locked");
		}
		if (!socket_wait_again(deadline)) {
			return socket_fail(f, "%s: another program keeps it locked", path);
		}
	}
	return 0;
}

void socket_unlock(int directory)
{
	flock(directory, LOCK_UN);
}
