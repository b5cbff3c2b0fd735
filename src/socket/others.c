/* SPDX-License-Identifier: MIT */
/*
 * Sockets of other users' processes, for root: see socket.h. Names in directories of
 * others are not read, and nothing there is changed: who runs is asked of /proc, and each
 * process's socket looked for where its user's lie.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "socket/directory.h"
#include "socket/others.h"
#include "socket/place.h"
#include "socket/probe.h"
#include "socket/socket.h"

/* The effective user of a process; 0, who is no other, also where nobody knows. */
static uid_t user_of(pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &st) == 0 ? st.st_uid : 0;
}

/* Whether <pid>.sock listens in the directory `t->path` of `t->owner`. */
static bool has_living(struct target *t, pid_t pid)
{
	const struct fail quiet = { 0 };

	t->file = -1;
	t->directory = socket_open_theirs(t->path, t->owner, &quiet);
	if (t->directory < 0) {
		return false;
	}
	t->name = strlen(t->path) + 1;
	snprintf(t->path + t->name - 1, sizeof(t->path) - t->name, "/%d.sock", (int)pid);
	bool is_living = socket_target_open_theirs(t, &quiet) == 0 && socket_probe(t) == 0;

	socket_target_close(t);
	return is_living;
}

int socket_find_theirs(pid_t pid, char *path, size_t size)
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

int socket_walk_others(socket_visit *visit, void *argument)
{
	char path[SOCKET_PATH_SIZE];
	DIR *processes = geteuid() == 0 ? opendir("/proc") : NULL;
	struct dirent *entry;
	int result = 0;

	while (processes && result == 0 && (entry = readdir(processes))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && socket_find_theirs(pid, path, sizeof(path)) == 0) {
			result = visit(pid, path, argument);
		}
	}
	if (processes) {
		closedir(processes);
	}
	return result;
}
