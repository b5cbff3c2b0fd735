/* SPDX-License-Identifier: MIT */
/* See cmd/ctl/monitor_target.h. */
#include "cmd/ctl/monitor_target.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/vec.h"

#define START_ONE "start it with WAYMARK_TRACE=control=on, or -trace control=on"

static PRINTF(2, 3) bool fail(char *error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error, SOCKET_ERROR_SIZE, fmt, ap);
	va_end(ap);
	return false;
}

/* What a file of /proc begins with; false where it says nothing. */
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

/* Whether it has ended, and only its parent does not know yet. */
static bool has_ended(pid_t pid)
{
	char stat[1024];
	const char *state = read_proc(pid, "stat", stat, sizeof(stat)) ? strrchr(stat, ')') : NULL;

	return state && state[1] == ' ' && state[2] == 'Z';
}

/* Why a process has no socket where sockets are. */
static bool explain_pid(pid_t pid, char *error)
{
	char proc[64];
	char name[PROGRAM_NAME_SIZE];
	struct stat st;

	snprintf(proc, sizeof(proc), "/proc/%d", (int)pid);
	if (stat(proc, &st) != 0) {
		return fail(error, "there is no process %d", (int)pid);
	}
	if (st.st_uid != geteuid() && geteuid() != 0) {
		const struct passwd *user = getpwuid(st.st_uid);
		char number[16];

		snprintf(number, sizeof(number), "\\#%u", (unsigned int)st.st_uid); /* no comment */
		return fail(error,
			"process %d belongs to another user: only as that one it can be controlled, "
			"as in 'sudo -u %s waymark ...'",
			(int)pid, user ? user->pw_name : number);
	}
	if (has_ended(pid)) {
		return fail(error, "process %d has ended", (int)pid);
	}
	program_name(pid, name, sizeof(name));
	return fail(error,
		"process %d (%s) has no monitor in the default directory: " START_ONE
		", or give the path of its socket",
		(int)pid, name);
}

static bool find_pid(const char *target, char *path, char *error)
{
	errno = 0;
	long pid = strtol(target, NULL, 10);

	if (errno || pid <= 0 || pid > INT_MAX) {
		return fail(error, "there is no process %s", target);
	}
	return socket_find((pid_t)pid, path, SOCKET_PATH_SIZE) == 0 ||
	       explain_pid((pid_t)pid, error);
}

/* The processes of one name. */
struct namesakes {
	const char *name;
	char *path; /* of the last one's socket */
	VEC(pid_t) pids;
};

static bool has_name(pid_t pid, const char *name)
{
	char found[PROGRAM_NAME_SIZE];

	program_name(pid, found, sizeof(found));
	return strcmp(found, name) == 0 ||
	       (read_proc(pid, "comm", found, sizeof(found)) && strcmp(found, name) == 0);
}

static int visit(pid_t pid, const char *path, void *argument)
{
	struct namesakes *n = argument;

	if (has_name(pid, n->name)) {
		vec_push(&n->pids, pid);
		snprintf(n->path, SOCKET_PATH_SIZE, "%s", path);
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const pid_t *x = a;
	const pid_t *y = b;

	return (*x > *y) - (*x < *y);
}

static bool explain_several(const struct namesakes *n, char *error)
{
	char list[256] = "";
	size_t used = 0;

	qsort(n->pids.items, n->pids.count, sizeof(*n->pids.items), by_number);
	for (size_t i = 0; i < n->pids.count && used < sizeof(list) - 16; i++) {
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%d", i ? ", " : "",
			(int)n->pids.items[i]);
	}
	return fail(error, "%zu processes are called '%s': give the number of one: %s",
		n->pids.count, n->name, list);
}

static bool is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* What the name of a program may be meant as, where no process has it. */
static bool find_here(const char *target, char *path, char *error, const char *trouble)
{
	if (is_socket(target)) {
		snprintf(path, SOCKET_PATH_SIZE, "%s", target);
		return true;
	}
	if (*trouble) {
		return fail(error, "%s", trouble);
	}
	return fail(error,
		"no process with a monitor is called '%s': 'waymark ls' lists those that have one, "
		"others: " START_ONE,
		target);
}

static bool find_name(const char *target, char *path, char *error)
{
	struct namesakes n = { .name = target, .path = path };
	char trouble[SOCKET_ERROR_SIZE] = "";

	if (socket_walk(visit, &n, trouble, sizeof(trouble)) == 0) {
		trouble[0] = '\0';
	}
	if (!n.pids.count) {
		socket_walk_others(visit, &n);
	}
	bool found = n.pids.count == 1 || (n.pids.count ? explain_several(&n, error)
							: find_here(target, path, error, trouble));

	vec_fini(&n.pids);
	return found;
}

bool monitor_target_find(const char *target, char *path, char *error)
{
	if (target[strspn(target, "0123456789")] == '\0' && *target) {
		return find_pid(target, path, error);
	}
	if (!strchr(target, '/')) {
		return find_name(target, path, error);
	}
	return snprintf(path, SOCKET_PATH_SIZE, "%s", target) < SOCKET_PATH_SIZE ||
	       fail(error, "%.80s...: the path is too long", target);
}
