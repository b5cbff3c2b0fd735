/* SPDX-License-Identifier: MIT */
/*
 * Finds the sockets in the default directories: those of our processes, removing stale ones, and
 * for root those of other users' processes. Other users' directories are neither listed nor
 * changed: /proc lists the processes, and each one's socket is looked up by name.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "socket/internal.h"

#define SUFFIX ".sock"
#define PID_DIGITS 9

struct walk {
	socket_visit *visit;
	void *argument;
	struct fail f; /* the first error of a directory */
	int result;
	struct target t; /* current socket */
	struct stat seen[PLACES]; /* to recognize a directory of two places */
	unsigned int count;
};

/* Returns the pid of <pid>.sock; 0 for another file. */
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

/* Removes a stale socket. Failing to remove it is no error of the walk. */
static void drop_stale(const struct target *t)
{
	const struct fail quiet = { 0 };

	if (socket_lock(t->directory, t->path, &quiet) == 0) {
		socket_remove_stale(t, &quiet);
		socket_unlock(t->directory);
	}
}

static void visit_name(struct walk *w, const char *name)
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

/* Visits the sockets of the directory `w->t`. The stream takes ownership of its descriptor. */
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
		visit_name(w, entry->d_name);
	}
	closedir(stream);
	w->t.directory = -1;
}

/* Opens the place `n`. Returns 0; 1 if there is no directory; -1 with the error. */
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
			w.f.size = 0; /* report the first error only */
		} else if (state == 0 && is_new(&w, w.t.directory)) {
			walk_directory(&w);
		}
		if (state == 0) {
			socket_target_close(&w.t);
		}
	}
	return w.result ? w.result : unusable;
}

static int find_ours(pid_t pid, char *path, size_t size)
{
	const struct fail quiet = { 0 };
	struct target t;

	for (unsigned int n = 0; n < PLACES; n++) {
		if (open_place(&t, n, &quiet) != 0) {
			continue;
		}
		snprintf(t.path + t.name, sizeof(t.path) - t.name, "%d" SUFFIX, (int)pid);
		bool found = socket_probe(&t) == 0;

		socket_target_close(&t);
		if (found) {
			return (size_t)snprintf(path, size, "%s", t.path) < size ? 0 : -1;
		}
	}
	return -1;
}

/* Returns the effective user of a process; 0, which is us, also if it is unknown. */
static uid_t user_of(pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &st) == 0 ? st.st_uid : 0;
}

/* True if a program listens at <pid>.sock in the directory `t->path` of `t->owner`. */
static bool has_living(struct target *t, pid_t pid)
{
	const struct fail quiet = { 0 };

	t->file = -1;
	t->directory = socket_open_theirs(t->path, t->owner, &quiet);
	if (t->directory < 0) {
		return false;
	}
	t->name = strlen(t->path) + 1;
	snprintf(t->path + t->name - 1, sizeof(t->path) - t->name, "/%d" SUFFIX, (int)pid);
	bool is_living = socket_target_open_theirs(t, &quiet) == 0 && socket_probe(t) == 0;

	socket_target_close(t);
	return is_living;
}

static int find_theirs(pid_t pid, char *path, size_t size)
{
	struct target t = { .owner = user_of(pid) };

	if (geteuid() != 0 || t.owner == 0) {
		return -1;
	}
	for (unsigned int n = 0; n < PLACES; n++) {
		if (socket_place(n, t.owner, t.path, sizeof(t.path)) && has_living(&t, pid)) {
			return (size_t)snprintf(path, size, "%s", t.path) < size ? 0 : -1;
		}
	}
	return -1;
}

int socket_find(pid_t pid, char *path, size_t size)
{
	return find_ours(pid, path, size) && find_theirs(pid, path, size) ? -1 : 0;
}

int socket_walk_others(socket_visit *visit, void *argument)
{
	char path[SOCKET_PATH_SIZE];
	DIR *processes = geteuid() == 0 ? opendir("/proc") : NULL;
	struct dirent *entry;
	int result = 0;

	while (processes && result == 0 && (entry = readdir(processes))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && find_theirs(pid, path, sizeof(path)) == 0) {
			result = visit(pid, path, argument);
		}
	}
	if (processes) {
		closedir(processes);
	}
	return result;
}
