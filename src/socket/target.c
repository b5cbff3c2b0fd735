/* SPDX-License-Identifier: MIT */
/* See target.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "socket/directory.h"
#include "socket/target.h"

/* A path that is being written. */
struct buffer {
	char *text;
	size_t used;
	bool full;
};

static void put(struct buffer *b, const char *bytes, size_t count)
{
	if (b->full || count >= SOCKET_PATH_SIZE - b->used) {
		b->full = true;
		return;
	}
	memcpy(b->text + b->used, bytes, count);
	b->used += count;
	b->text[b->used] = '\0';
}

static void put_pid(struct buffer *b)
{
	char pid[16];

	put(b, pid, (size_t)snprintf(pid, sizeof(pid), "%d", (int)getpid()));
}

/* Writes `path` with each %d replaced. Returns 0, or -1: another %. */
static int put_expanded(struct buffer *b, const char *path)
{
	for (;;) {
		size_t plain = strcspn(path, "%");

		put(b, path, plain);
		path += plain;
		if (!*path) {
			return 0;
		}
		if (path[1] != 'd') {
			return -1;
		}
		put_pid(b);
		path += 2;
	}
}

/* Begins a relative path with the working directory. Returns 0, or -1 with errno. */
static int put_working_directory(struct buffer *b)
{
	if (!getcwd(b->text, SOCKET_PATH_SIZE)) {
		return -1;
	}
	if (b->text[0] != '/') {
		errno = ENOENT; /* "(unreachable)..." */
		return -1;
	}
	b->used = strlen(b->text);
	put(b, "/", 1);
	return 0;
}

static int put_path(struct buffer *b, const char *path, bool expand, const struct fail *f)
{
	if (path[0] != '/' && put_working_directory(b)) {
		return socket_fail_errno(f, path, "the working directory");
	}
	if (!expand) {
		put(b, path, strlen(path));
	} else if (put_expanded(b, path)) {
		return socket_fail(f, "%s: only %%d, the pid, may follow a %%", path);
	}
	if (b->full) {
		return socket_fail(f, "%s: longer than %d bytes; take a shorter path", path,
			SOCKET_PATH_SIZE - 1);
	}
	return 0;
}

static bool is_directory_name(const char *name)
{
	return !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

int socket_target_given(struct target *t, const char *path, bool expand, const struct fail *f)
{
	struct buffer b = { .text = t->path };

	t->directory = t->file = -1;
	if (!*path) {
		return socket_fail(f, "the path of the socket is empty");
	}
	if (put_path(&b, path, expand, f)) {
		return -1;
	}
	char *name = strrchr(t->path, '/') + 1;
	char first = *name;

	if (is_directory_name(name)) {
		return socket_fail(f, "%s: a directory's name; add that of a socket", path);
	}
	t->name = (size_t)(name - t->path);
	*name = '\0'; /* the directory, for a moment */
	t->directory = socket_open_given(t->path, expand, &t->owner, f);
	*name = first;
	return t->directory < 0 ? -1 : 0;
}

int socket_target_default(struct target *t, const struct fail *f)
{
	struct buffer b = { .text = t->path };

	t->directory = t->file = -1;
	t->owner = geteuid();
	if (socket_directory(t->path, sizeof(t->path))) {
		return socket_fail_errno(f, "the directory for sockets", NULL);
	}
	t->directory = socket_open_default(t->path, true, f);
	if (t->directory < 0) {
		return -1;
	}
	b.used = strlen(t->path);
	put(&b, "/", 1);
	t->name = b.used;
	put_pid(&b);
	put(&b, ".sock", 5);
	if (b.full) {
		socket_target_close(t);
		return socket_fail(
			f, "%s: too long a path; set XDG_RUNTIME_DIR to a shorter one", t->path);
	}
	return 0;
}

void socket_target_close(struct target *t)
{
	waymark_close(t->directory);
	waymark_close(t->file);
	t->directory = t->file = -1;
}

bool socket_target_is_theirs(const struct target *t)
{
	return t->owner != geteuid() && t->owner != 0;
}

/* Not followed when it is a symbolic link, nor opened when it is a device. */
int socket_target_open_theirs(struct target *t, const struct fail *f)
{
	struct stat st;

	t->file = waymark_open_at(t->directory, socket_target_name(t), O_PATH | O_NOFOLLOW, 0);
	if (t->file < 0 || waymark_stat(t->file, &st)) {
		return socket_fail_errno(f, t->path, NULL);
	}
	if (!S_ISSOCK(st.st_mode)) {
		return socket_fail(f, "%s: not a socket", t->path);
	}
	if (st.st_uid != t->owner) {
		return socket_fail(f, "%s: belongs to user %u, its directory to user %u: not used",
			t->path, (unsigned int)st.st_uid, (unsigned int)t->owner);
	}
	return 0;
}

/*
 * The path itself where it fits, for whoever looks into /proc/net/unix; else a
 * way through the open directory.
 */
int socket_target_address(const struct target *t, struct sockaddr_un *address, const struct fail *f)
{
	const size_t room = sizeof(address->sun_path);

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (t->file >= 0) {
		snprintf(address->sun_path, room, "/proc/thread-self/fd/%d", t->file);
		return 0;
	}
	if (strlen(t->path) < room) {
		strcpy(address->sun_path, t->path);
		return 0;
	}
	if (access("/proc/thread-self/fd", F_OK)) {
		return socket_fail(f,
			"%s: longer than 107 bytes, and there is no /proc; take a shorter path",
			t->path);
	}
	int length = snprintf(address->sun_path, room, "/proc/thread-self/fd/%d/%s", t->directory,
		socket_target_name(t));

	if ((size_t)length >= room) {
		return socket_fail(f,
			"%s: too long a name for a socket; take one of at most 70 bytes", t->path);
	}
	return 0;
}
