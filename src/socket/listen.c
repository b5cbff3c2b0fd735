/* SPDX-License-Identifier: MIT */
/*
 * Makes a listening socket, and removes its file. Between bind and listen a socket looks stale: the
 * directory's lock keeps our other programs from removing it then.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "socket/internal.h"

#define QUEUE 64 /* connections that may wait to be accepted */
#define TRIES 3 /* other programs may bind the name without our lock */
#define MODE (S_IRUSR | S_IWUSR)

/* Binds, after removing a stale socket. Returns 0, or -1 with the error. */
static int take_name(int fd, const struct target *t, const struct fail *f)
{
	struct sockaddr_un address;

	if (socket_target_address(t, &address, f)) {
		return -1;
	}
	if (fchmod(fd, MODE)) {
		return socket_fail_errno(f, t->path, "fchmod");
	}
	for (int i = 0; i < TRIES; i++) {
		if (syscall(SYS_bind, fd, &address, sizeof(address)) == 0) {
			return 0;
		}
		if (errno != EADDRINUSE) {
			return socket_fail_errno(f, t->path, NULL);
		}
		if (socket_remove_stale(t, f)) {
			return -1;
		}
	}
	return socket_fail(
		f, "%s: other programs keep taking the name; choose another one", t->path);
}

/* Restores the permissions that the umask removed. Returns 0, or -1 with errno. */
static int widen(const struct target *t, const struct stat *made)
{
	int fd = waymark_open_at(t->directory, socket_target_name(t), O_PATH | O_NOFOLLOW, 0);
	struct stat st = { 0 };
	int result = -1;

	if (fd < 0) {
		return -1;
	}
	if (waymark_stat(fd, &st) == 0 && st.st_dev == made->st_dev && st.st_ino == made->st_ino) {
		result = socket_chmod(fd, MODE);
	}
	waymark_close(fd);
	return result;
}

/* Notes which file was made in the checked directory. Returns 0, or -1 with errno. */
static int note_file(struct socket_file *file, const struct target *t, struct stat *st)
{
	if (fstatat(t->directory, socket_target_name(t), st, AT_SYMLINK_NOFOLLOW)) {
		return -1;
	}
	if (!S_ISSOCK(st->st_mode) || st->st_uid != geteuid()) {
		errno = EEXIST;
		return -1;
	}
	*file = (struct socket_file){
		.device = st->st_dev, .inode = st->st_ino, .process = getpid()
	};
	strcpy(file->path, t->path);
	return 0;
}

/* Removes the file if it is still the socket that was made. Returns 0, or -1 with errno. */
static int remove_made(int directory, const char *name, const struct socket_file *file)
{
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW)) {
		return errno == ENOENT ? 0 : -1;
	}
	bool is_made =
		S_ISSOCK(st.st_mode) && st.st_dev == file->device && st.st_ino == file->inode;

	return is_made ? unlinkat(directory, name, 0) : 0;
}

/* Binds and listens. Returns 0, or -1 with the error and without a file. */
static int bind_and_listen(
	int fd, const struct target *t, struct socket_file *file, const struct fail *f)
{
	struct stat st;

	if (take_name(fd, t, f)) {
		return -1;
	}
	if (note_file(file, t, &st)) {
		return socket_fail_errno(f, t->path, "was replaced while it was made");
	}
	if ((st.st_mode & MODE) != MODE && widen(t, &st)) {
		socket_fail_errno(f, t->path, "the umask cannot be undone");
	} else if (syscall(SYS_listen, fd, QUEUE)) {
		socket_fail_errno(f, t->path, "listen");
	} else {
		return 0;
	}
	remove_made(t->directory, socket_target_name(t), file);
	return -1;
}

static int make_socket(const struct target *t, struct socket_file *file, const struct fail *f)
{
	int fd = socket_create();

	if (fd < 0) {
		return socket_fail_errno(f, t->path, NULL);
	}
	if (socket_lock(t->directory, t->path, f) == 0) {
		int result = bind_and_listen(fd, t, file, f);

		socket_unlock(t->directory);
		if (result == 0) {
			return fd;
		}
	}
	waymark_close(fd);
	return -1;
}

int socket_listen(const char *path, struct socket_file *file, char *error, size_t size)
{
	const struct fail f = { .text = error, .size = size };
	struct socket_file unused;
	struct target t;
	int fd;

	if (path ? socket_target_given(&t, path, true, &f) : socket_target_default(&t, &f)) {
		return -1;
	}
	fd = make_socket(&t, file ? file : &unused, &f);
	socket_target_close(&t);
	return fd;
}

int socket_remove(const struct socket_file *file)
{
	char parent[SOCKET_PATH_SIZE];
	int result;
	int directory;

	if (file->process != getpid()) {
		return 0;
	}
	size_t name = (size_t)(strrchr(file->path, '/') + 1 - file->path);

	memcpy(parent, file->path, name);
	parent[name] = '\0';
	directory = waymark_open_at(AT_FDCWD, parent, O_PATH | O_DIRECTORY, 0);
	if (directory < 0) {
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	}
	result = remove_made(directory, file->path + name, file);
	waymark_close(directory);
	return result;
}
