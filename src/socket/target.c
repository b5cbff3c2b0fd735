/* SPDX-License-Identifier: MIT */
/*
 * A socket's path, split: made absolute and checked, its directory opened. Also makes the address
 * by which the kernel finds it, however long the path is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "socket/internal.h"

/* The output position in a target's path. */
struct path_writer {
	char *text;
	size_t used;
	bool full;
};

static void put(struct path_writer *w, const char *bytes, size_t count)
{
	if (w->full || count >= SOCKET_PATH_SIZE - w->used) {
		w->full = true;
		return;
	}
	memcpy(w->text + w->used, bytes, count);
	w->used += count;
	w->text[w->used] = '\0';
}

static void put_pid(struct path_writer *w)
{
	char pid[16];

	put(w, pid, (size_t)snprintf(pid, sizeof(pid), "%d", (int)getpid()));
}

/* Writes `path` with each %d replaced. Returns 0, or -1 for another %. */
static int put_expanded(struct path_writer *w, const char *path)
{
	for (;;) {
		size_t plain = strcspn(path, "%");

		put(w, path, plain);
		path += plain;
		if (!*path) {
			return 0;
		}
		if (path[1] != 'd') {
			return -1;
		}
		put_pid(w);
		path += 2;
	}
}

/* Writes the working directory before a relative path. Returns 0, or -1 with errno. */
static int put_working_directory(struct path_writer *w)
{
	if (!getcwd(w->text, SOCKET_PATH_SIZE)) {
		return -1;
	}
	if (w->text[0] != '/') {
		errno = ENOENT; /* "(unreachable)..." */
		return -1;
	}
	w->used = strlen(w->text);
	put(w, "/", 1);
	return 0;
}

static int put_path(struct path_writer *w, const char *path, bool to_listen, const struct fail *f)
{
	if (path[0] != '/' && put_working_directory(w)) {
		return socket_fail_errno(f, path, "the working directory");
	}
	if (!to_listen) {
		put(w, path, strlen(path));
	} else if (put_expanded(w, path)) {
		return socket_fail(f, "%s: only %%d, the pid, may follow a %%", path);
	}
	if (w->full) {
		return socket_fail(f, "%s: longer than %d bytes; take a shorter path", path,
			SOCKET_PATH_SIZE - 1);
	}
	return 0;
}

int socket_target_given(struct target *t, const char *path, bool to_listen, const struct fail *f)
{
	struct path_writer w = { .text = t->path };

	t->directory = t->file = -1;
	if (!*path) {
		return socket_fail(f, "the path of the socket is empty");
	}
	if (put_path(&w, path, to_listen, f)) {
		return -1;
	}
	char *name = strrchr(t->path, '/') + 1;
	char first = *name;

	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		return socket_fail(f, "%s: this is a directory; add the name of a socket", path);
	}
	t->name = (size_t)(name - t->path);
	*name = '\0'; /* leaves only the directory, temporarily */
	t->directory = socket_open_given(t->path, to_listen, &t->owner, f);
	*name = first;
	return t->directory < 0 ? -1 : 0;
}

int socket_target_default(struct target *t, const struct fail *f)
{
	struct path_writer w = { .text = t->path };

	t->directory = t->file = -1;
	t->owner = geteuid();
	if (socket_directory(t->path, sizeof(t->path))) {
		return socket_fail_errno(f, "the directory for sockets", NULL);
	}
	t->directory = socket_open_default(t->path, true, f);
	if (t->directory < 0) {
		return -1;
	}
	w.used = strlen(t->path);
	put(&w, "/", 1);
	t->name = w.used;
	put_pid(&w);
	put(&w, ".sock", 5);
	if (w.full) {
		socket_target_close(t);
		return socket_fail(f,
			"%s: the path is too long; set XDG_RUNTIME_DIR to a shorter one", t->path);
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

/* Neither follows a symbolic link nor opens a device. */
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
 * Uses the path itself if it fits, so that /proc/net/unix shows it; else a path through the open
 * directory.
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
