/* SPDX-License-Identifier: MIT */
/* The sockets of the default directories: see socket.h. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "socket/directory.h"
#include "socket/others.h"
#include "socket/place.h"
#include "socket/probe.h"
#include "socket/socket.h"

#define SUFFIX ".sock"
#define PID_DIGITS 9

struct walk {
	socket_visit *visit;
	void *argument;
	struct fail f; /* the first error of a directory */
	int result;
	struct target t; /* the socket that is looked at */
	struct stat seen[PLACES]; /* two places may be one directory */
	unsigned int count;
};

/* The pid of <pid>.sock; 0: another file. */
static pid_t pid_of(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	if (!digits || digits > PID_DIGITS || name[0] == '0' ||
		strcmp(name + digits, SUFFIX) != 0) {
		return 0;
	}
	return (pid_t)strtol(name, NULL, 10);
}

static bool is_new(struct walk *w, int directory)
{
	struct stat *st = &w->seen[w->count];

	if (waymark_stat(directory, st)) {
		return false;
	}
	for (unsigned int i = 0; i < w->count; i++) {
		if (w->seen[i].st_dev == st->st_dev && w->seen[i].st_ino == st->st_ino) {
			return false;
		}
	}
	w->count++;
	return true;
}

/* What cannot be removed stays until somebody can: no error of the walk. */
static void drop_stale(const struct target *t)
{
	const struct fail quiet = { 0 };

	if (socket_lock(t->directory, t->path, &quiet) == 0) {
		socket_remove_stale(t, &quiet);
		socket_unlock(t->directory);
	}
}

/* Looks at one name of the directory. */
static void look(struct walk *w, const char *name)
{
	struct target *t = &w->t;
	pid_t pid = pid_of(name);

	if (!pid) {
		return;
	}
	int length = snprintf(t->path + t->name, sizeof(t->path) - t->name, "%s", name);

	if (length < 0 || (size_t)length >= sizeof(t->path) - t->name) {
		return;
	}
	switch (socket_probe(t)) {
	case 0:
		w->result = w->visit(pid, t->path, w->argument);
		break;
	case ECONNREFUSED:
		drop_stale(t);
		break;
	}
}

/* `w->t` is the directory; the stream takes its descriptor over. */
static void walk_directory(struct walk *w)
{
	DIR *stream = fdopendir(w->t.directory);
	struct dirent *entry;

	if (!stream) {
		socket_fail_errno(&w->f, w->t.path, NULL);
		w->result = -1;
		return;
	}
	while (w->result == 0 && (entry = readdir(stream))) {
		look(w, entry->d_name);
	}
	closedir(stream);
	w->t.directory = -1;
}

/* Opens the place `n`. Returns 0; 1 where nothing is; -1 with the error. */
static int open_place(struct target *t, unsigned int n, const struct fail *f)
{
	t->file = -1;
	t->owner = geteuid();
	if (!socket_place(n, t->owner, t->path, sizeof(t->path) - 1)) {
		return 1;
	}
	t->directory = socket_open_default(t->path, false, f);
	if (t->directory < 0) {
		return errno == ENOENT ? 1 : -1;
	}
	strcat(t->path, "/");
	t->name = strlen(t->path);
	return 0;
}

int socket_walk(socket_visit *visit, void *argument, char *error, size_t size)
{
	struct walk w = { .visit = visit, .argument = argument, .f = { error, size } };
	int unusable = 0;

	for (unsigned int n = 0; n < PLACES && w.result == 0; n++) {
		int state = open_place(&w.t, n, &w.f);

		if (state < 0) {
			unusable = -1;
			w.f.size = 0; /* the first one is told */
		} else if (state == 0 && is_new(&w, w.t.directory)) {
			walk_directory(&w);
		}
		if (state == 0) {
			socket_target_close(&w.t);
		}
	}
	return w.result ? w.result : unusable;
}

/* Whether the open place has a socket of the process that listens. */
static bool has_living(struct target *t, pid_t pid)
{
	snprintf(t->path + t->name, sizeof(t->path) - t->name, "%d" SUFFIX, (int)pid);
	return socket_probe(t) == 0;
}

static int find_ours(pid_t pid, char *path, size_t size)
{
	const struct fail quiet = { 0 };
	struct target t;

	for (unsigned int n = 0; n < PLACES; n++) {
		if (open_place(&t, n, &quiet) != 0) {
			continue;
		}
		bool found = has_living(&t, pid);

		socket_target_close(&t);
		if (found) {
			return (size_t)snprintf(path, size, "%s", t.path) < size ? 0 : -1;
		}
	}
	return -1;
}

int socket_find(pid_t pid, char *path, size_t size)
{
	return find_ours(pid, path, size) && socket_find_theirs(pid, path, size) ? -1 : 0;
}
