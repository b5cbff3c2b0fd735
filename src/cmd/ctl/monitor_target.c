/* SPDX-License-Identifier: MIT */
/*
 * Finds the socket of the process that TARGET means: by its pid, its path or the program's name.
 * Error messages suggest what is near: other processes, a similar name, another user.
 */
#include "cmd/ctl/monitor_target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/vec.h"
#include "text/nearest.h"

#define START_ONE "start it with WAYMARK_TRACE=control=on, or -trace control=on"

/*
 * Reads the first line of a file of /proc/PID, cut to `size`; false if it is empty or unreadable.
 */
static bool read_proc(pid_t pid, const char *file, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	if (fd >= 0) {
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return *text != '\0';
}

void program_name(pid_t pid, char *name, size_t size)
{
	char path[PATH_MAX];

	if (!read_proc(pid, "cmdline", path, sizeof(path)) &&
		!read_proc(pid, "comm", path, sizeof(path))) {
		strcpy(path, "?");
	}
	const char *slash = strrchr(path, '/');

	snprintf(name, size, "%s", slash && slash[1] ? slash + 1 : path);
}

/* True if the process has exited, but its parent has not waited for it yet. */
static bool is_zombie(pid_t pid)
{
	char stat[1024];
	const char *state = read_proc(pid, "stat", stat, sizeof(stat)) ? strrchr(stat, ')') : NULL;

	return state && state[1] == ' ' && state[2] == 'Z';
}

/* Reports why a process has no socket in the default directories; returns false. */
static bool fail_pid(struct monitor_client *c, pid_t pid)
{
	char proc[64];
	char name[PROGRAM_NAME_SIZE];
	struct stat st;

	snprintf(proc, sizeof(proc), "/proc/%d", (int)pid);
	if (stat(proc, &st) != 0) {
		return client_fail(c, CLIENT_UNREACHED, "there is no process %d", (int)pid);
	}
	if (st.st_uid != geteuid() && geteuid() != 0) {
		const struct passwd *user = getpwuid(st.st_uid);
		char number[16];

		/* Without the backslash, a shell would treat the rest as a comment. */
		snprintf(number, sizeof(number), "\\#%u", (unsigned int)st.st_uid);
		return client_fail(c, CLIENT_UNREACHED,
			"process %d belongs to another user: control it as that user, as in "
			"'sudo -u %s waymark ...'",
			(int)pid, user ? user->pw_name : number);
	}
	if (is_zombie(pid)) {
		return client_fail(c, CLIENT_UNREACHED, "process %d has ended", (int)pid);
	}
	program_name(pid, name, sizeof(name));
	return client_fail(c, CLIENT_UNREACHED,
		"process %d (%s) has no monitor in the default directory: " START_ONE
		", or give the path of its socket",
		(int)pid, name);
}

/* A process with a monitor. */
struct candidate {
	pid_t pid;
	char name[PROGRAM_NAME_SIZE]; /* name the program was started with */
	char comm[PROGRAM_NAME_SIZE]; /* name in the kernel */
	char *path; /* of its socket */
};

struct candidates {
	VEC(struct candidate) all;
};

static int add(pid_t pid, const char *path, void *argument)
{
	struct candidates *list = argument;
	struct candidate c = { .pid = pid, .path = xstrdup(path) };

	program_name(pid, c.name, sizeof(c.name));
	read_proc(pid, "comm", c.comm, sizeof(c.comm));
	vec_push(&list->all, c);
	return 0;
}

static bool has_name(const struct candidate *c, const char *name)
{
	return strcmp(c->name, name) == 0 || strcmp(c->comm, name) == 0;
}

static bool has_part(const struct candidate *c, const char *part)
{
	return *part && (strstr(c->name, part) || strstr(c->comm, part));
}

/* Moves the candidates that `meets` accepts to the front; returns their number. */
static size_t select_named(struct candidates *list, const char *name,
	bool (*meets)(const struct candidate *c, const char *name))
{
	size_t count = 0;

	for (size_t i = 0; i < list->all.count; i++) {
		if (meets(&list->all.items[i], name)) {
			struct candidate met = list->all.items[i];

			list->all.items[i] = list->all.items[count];
			list->all.items[count++] = met;
		}
	}
	return count;
}

static int by_pid(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Reports the pids of the first `count` candidates, as TARGET must name one; returns false. */
static bool fail_several(
	struct monitor_client *c, const struct candidates *list, size_t count, const char *name)
{
	bool is_part = !has_name(&list->all.items[0], name);
	char text[256] = "";
	size_t used = 0;
	size_t shown = 0;

	qsort(list->all.items, count, sizeof(*list->all.items), by_pid);
	for (; shown < count && used < sizeof(text) - 64; shown++) {
		const struct candidate *it = &list->all.items[shown];

		used += (size_t)snprintf(text + used, sizeof(text) - used,
			is_part ? "%s%d (%.40s)" : "%s%d", shown ? ", " : "", (int)it->pid,
			it->name);
	}
	return client_fail(c, CLIENT_UNREACHED,
		"%zu processes %s '%.60s': give the pid of one: %s%s", count,
		is_part ? "have a name with" : "are called", name, text,
		shown < count ? ", ..." : "");
}

/* Reports that no process has that name, and a name near it; returns false. */
static bool fail_none(struct monitor_client *c, const struct candidates *list, const char *name)
{
	const char **names = xcalloc(list->all.count + 1, sizeof(*names));

	for (size_t i = 0; i < list->all.count; i++) {
		names[i] = list->all.items[i].name;
	}
	const char *near =
		nearest_name((struct span){ name, strlen(name) }, names, list->all.count);

	client_fail(c, CLIENT_UNREACHED, "no process with a monitor is called '%s': %s%s%s", name,
		near ? "did you mean '" : "'waymark ls' lists those that have one, others: ",
		near ? near : START_ONE, near ? "'?" : "");
	free(names);
	return false;
}

/*
 * Chooses in this order: a whole name among this user's processes, for root then among others', a
 * socket in the current directory, a part of a name.
 */
static bool choose(
	struct monitor_client *c, struct candidates *list, const char *target, char *path)
{
	char trouble[SOCKET_ERROR_SIZE] = "";
	bool could_look = socket_walk(add, list, trouble, sizeof(trouble)) == 0;
	size_t count = select_named(list, target, has_name);
	struct stat st;

	if (!count) {
		socket_walk_others(add, list);
		count = select_named(list, target, has_name);
	}
	if (!count && stat(target, &st) == 0 && S_ISSOCK(st.st_mode)) {
		snprintf(path, SOCKET_PATH_SIZE, "%s", target);
		return true;
	}
	count = count ? count : select_named(list, target, has_part);
	if (count > 1) {
		return fail_several(c, list, count, target);
	}
	if (count == 1) {
		snprintf(path, SOCKET_PATH_SIZE, "%s", list->all.items[0].path);
		return true;
	}
	if (!could_look) {
		return client_fail(c, CLIENT_UNREACHED, "%s", trouble);
	}
	return fail_none(c, list, target);
}

static bool find_name(struct monitor_client *c, const char *target, char *path)
{
	struct candidates list = { 0 };
	bool found = choose(c, &list, target, path);

	vec_foreach (struct candidate *, it, &list.all) {
		free(it->path);
	}
	vec_fini(&list.all);
	return found;
}

static bool find(struct monitor_client *c, const char *target, char *path)
{
	if (target[strspn(target, "0123456789")] == '\0' && *target) {
		errno = 0;
		long pid = strtol(target, NULL, 10);

		if (errno || pid <= 0 || pid > INT_MAX) {
			return client_fail(c, CLIENT_UNREACHED, "there is no process %s", target);
		}
		return socket_find((pid_t)pid, path, SOCKET_PATH_SIZE) == 0 ||
		       fail_pid(c, (pid_t)pid);
	}
	if (!strchr(target, '/')) {
		return find_name(c, target, path);
	}
	return snprintf(path, SOCKET_PATH_SIZE, "%s", target) < SOCKET_PATH_SIZE ||
	       client_fail(c, CLIENT_UNREACHED, "%.80s...: the path is too long", target);
}

bool monitor_target_open(struct monitor_client *c, const char *target, int timeout_ms)
{
	const struct client_timeout timeout = { timeout_ms, .is_total = false };
	char path[SOCKET_PATH_SIZE];

	*c = (struct monitor_client){ .fd = -1 };
	return find(c, target, path) && client_open(c, path, timeout);
}
