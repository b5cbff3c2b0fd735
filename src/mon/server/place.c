/* SPDX-License-Identifier: MIT */
/* See place.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mon/server/fail.h"
#include "mon/server/place.h"

/*
 * A daemon changes its directory before its child takes the socket over. A directory
 * whose name has a `%` would not be taken for what it is.
 */
static char *absolute(const char *path)
{
	char directory[PATH_MAX];
	char *whole = NULL;

	if (*path == '/' || !getcwd(directory, sizeof(directory)) || *directory != '/' ||
		strchr(directory, '%')) {
		return strdup(path);
	}
	return asprintf(&whole, "%s/%s", strcmp(directory, "/") ? directory : "", path) < 0 ? NULL
											    : whole;
}

static int init_fd(struct place *p, const char *number, struct waymark_error *error)
{
	char *end;
	long fd = strtol(number, &end, 10);

	if (*number < '0' || *number > '9' || *end || fd > INT_MAX) {
		return mon_fail(
			error, "fd:%s: what follows fd: is the number of a descriptor", number);
	}
	p->kind = PLACE_FD;
	p->fd = (int)fd;
	return 0;
}

static int init_path(struct place *p, const char *path, struct waymark_error *error)
{
	if (!*path) {
		return mon_fail(error, "the path of the socket is empty");
	}
	p->kind = PLACE_PATH;
	p->of_process = strstr(path, "%d") != NULL;
	p->path = absolute(path);
	return p->path ? 0 : mon_fail(error, "%s: no memory", path);
}

int place_init(struct place *p, const char *where, struct waymark_error *error)
{
	*p = (struct place){ .kind = PLACE_DEFAULT, .fd = -1, .of_process = true };
	if (!where || strcmp(where, "on") == 0) {
		return 0;
	}
	if (strcmp(where, "stdio") == 0) {
		p->kind = PLACE_STDIO;
		return 0;
	}
	if (strncmp(where, "fd:", 3) == 0) {
		return init_fd(p, where + 3, error);
	}
	return init_path(p, where, error);
}

void place_fini(struct place *p)
{
	free(p->path);
	p->path = NULL;
}
