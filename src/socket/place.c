/* SPDX-License-Identifier: MIT */
/* See place.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "socket/place.h"
#include "socket/socket.h"

/* A directory of `owner` to which nobody else may write: what is in it is not replaced. */
static bool is_safe(const char *path, uid_t owner)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == owner &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool has_room(int length, size_t size)
{
	return length > 0 && (size_t)length < size;
}

static bool put_below(const char *parent, uid_t owner, char *path, size_t size)
{
	return is_safe(parent, owner) && has_room(snprintf(path, size, "%s/waymark", parent), size);
}

/*
 * What is no absolute path is to be ignored (XDG Base Directory Specification);
 * sudo and su may leave another user's. Another user's variable is not known.
 */
static bool put_xdg(uid_t user, char *path, size_t size)
{
	const char *parent = secure_getenv("XDG_RUNTIME_DIR");

	return user == geteuid() && parent && parent[0] == '/' &&
	       put_below(parent, user, path, size);
}

static bool put_run_user(uid_t user, char *path, size_t size)
{
	char parent[32];

	snprintf(parent, sizeof(parent), "/run/user/%u", (unsigned int)user);
	return put_below(parent, user, path, size);
}

static bool put_run(uid_t user, char *path, size_t size)
{
	return user == 0 && put_below("/run", 0, path, size);
}

static bool put_tmp(uid_t user, char *path, size_t size)
{
	return has_room(snprintf(path, size, "/tmp/waymark-%u", (unsigned int)user), size);
}

static bool (*const places[])(
	uid_t user, char *path, size_t size) = { put_xdg, put_run_user, put_run, put_tmp };
_Static_assert(ARRAY_SIZE(places) == PLACES, "place.h counts them");

bool socket_place(unsigned int n, uid_t user, char *path, size_t size)
{
	return places[n](user, path, size);
}

int socket_directory(char *path, size_t size)
{
	for (unsigned int n = 0; n < PLACES; n++) {
		if (socket_place(n, geteuid(), path, size)) {
			return 0;
		}
	}
	errno = ENAMETOOLONG;
	return -1;
}
