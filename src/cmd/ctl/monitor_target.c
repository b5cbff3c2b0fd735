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
#include "base/memory.h"
#include "base/vec.h"
#include "text/nearest.h"

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

/* A process with a monitor. */
struct candidate {
	pid_t pid;
	char name[PROGRAM_NAME_SIZE]; /* that it was started as */
	char comm[PROGRAM_NAME_SIZE]; /* that the kernel has */
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

static void candidates_fini(struct candidates *list)
{
	vec_foreach (struct candidate *, c, &list->all) {
		free(c->path);
	}
	vec_fini(&list->all);
}

static bool has_name(const struct candidate *c, const char *name)
{
	return strcmp(c->name, name) == 0 || strcmp(c->comm, name) == 0;
}

static bool has_part(const struct candidate *c, const char *part)
{
	return *part && (strstr(c->name, part) || strstr(c->comm, part));
}

/* Puts those that meet it first; returns how many. */
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

static int by_number(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The first `count` may be meant. */
static bool explain_several(
	const struct candidates *list, size_t count, const char *name, char *error)
{
	bool is_part = !has_name(&list->all.items[0], name);
	char text[256] = "";
	size_t used = 0;
	size_t shown = 0;

	qsort(list->all.items, count, sizeof(*list->all.items), by_number);
	for (; shown < count && used < sizeof(text) - 64; shown++) {
		const struct candidate *c = &list->all.items[shown];

		used += (size_t)snprintf(text + used, sizeof(text) - used,
			is_part ? "%s%d (%.40s)" : "%s%d", shown ? ", " : "", (int)c->pid, c->name);
	}
	return fail(error, "%zu processes %s '%.60s': give the number of one: %s%s", count,
		is_part ? "have a name with" : "are called", name, text,
		shown < count ? ", ..." : "");
}

/* No process has the name: one may be meant. */
static bool explain_none(const struct candidates *list, const char *name, char *error)
{
	const char **names = xcalloc(list->all.count + 1, sizeof(*names));

	for (size_t i = 0; i < list->all.count; i++) {
		names[i] = list->all.items[i].name;
	}
	const char *meant =
		nearest_name((struct span){ name, strlen(name) }, names, list->all.count);

	fail(error, "no process with a monitor is called '%s': %s%s%s", name,
		meant ? "did you mean '" : "'waymark ls' lists those that have one, others: ",
		meant ? meant : START_ONE, meant ? "'?" : "");
	free(names);
	return false;
}

static bool is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* The first candidate, where it is the only one of `count`. */
static bool take_only(
	const struct candidates *list, size_t count, const char *name, char *path, char *error)
{
	if (count > 1) {
		return explain_several(list, count, name, error);
	}
	snprintf(path, SOCKET_PATH_SIZE, "%s", list->all.items[0].path);
	return true;
}

/* A whole name comes first: of our own, of others for root; then a socket here, then a part. */
static bool choose(struct candidates *list, const char *target, char *path, char *error)
{
	char trouble[SOCKET_ERROR_SIZE] = "";
	bool could_look = socket_walk(add, list, trouble, sizeof(trouble)) == 0;
	size_t count = select_named(list, target, has_name);

	if (!count) {
		socket_walk_others(add, list);
		count = select_named(list, target, has_name);
	}
	if (!count && is_socket(target)) {
		snprintf(path, SOCKET_PATH_SIZE, "%s", target);
		return true;
	}
	count = count ? count : select_named(list, target, has_part);
	if (count) {
		return take_only(list, count, target, path, error);
	}
	return could_look ? explain_none(list, target, error) : fail(error, "%s", trouble);
}

static bool find_name(const char *target, char *path, char *error)
{
	struct candidates list = { 0 };
	bool found = choose(&list, target, path, error);

	candidates_fini(&list);
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
