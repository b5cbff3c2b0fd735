/* SPDX-License-Identifier: MIT */
/* See replace.h. Called by control calls only. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/arena.h"
#include "format/ctf.h"
#include "rt/ctf/replace.h"
#include "rt/host/error.h"
#include "rt/host/path.h"
#include "rt/record/arena.h"

static bool begins_with(const char *name, const char *what)
{
	return strncmp(name, what, strlen(what)) == 0;
}

/* What a trace directory holds, and its index. */
static bool is_ours(const char *name)
{
	return strcmp(name, CTF_METADATA) == 0 || begins_with(name, CTF_STREAM) ||
	       begins_with(name, ARENA_FILE_IN_TRACE) || begins_with(name, ".metadata") ||
	       strcmp(name, CTF_INDEX) == 0;
}

/* Calls `what` for each name in the directory, until one is refused. */
static bool each_name(int dirfd, bool (*what)(int dirfd, const char *name))
{
	int copy = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	bool ok = dir != NULL;

	for (struct dirent *e; ok && (e = readdir(dir));) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
			ok = what(dirfd, e->d_name);
		}
	}
	if (dir) {
		closedir(dir);
	} else if (copy >= 0) {
		close(copy);
	}
	return ok;
}

static bool check_name(int dirfd, const char *name)
{
	(void)dirfd;
	return is_ours(name);
}

static bool remove_file(int dirfd, const char *name)
{
	return unlinkat(dirfd, name, 0) == 0;
}

/* Without its metadata it would be no trace, which nobody replaces: that goes last. */
static bool remove_name(int dirfd, const char *name)
{
	if (strcmp(name, CTF_METADATA) == 0) {
		return true;
	}
	if (strcmp(name, CTF_INDEX) != 0) {
		return remove_file(dirfd, name);
	}
	int index = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = index >= 0 && each_name(index, remove_file);

	if (index >= 0) {
		close(index);
	}
	return ok && unlinkat(dirfd, name, AT_REMOVEDIR) == 0;
}

/* The begin of the metadata; false where it is none. */
static bool read_metadata(int dirfd, char *text, size_t size)
{
	int fd = openat(dirfd, CTF_METADATA, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0) {
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return begins_with(text, CTF_SIGNATURE);
}

static bool is_trace(int dirfd)
{
	char text[sizeof(CTF_SIGNATURE) + 1];

	return read_metadata(dirfd, text, sizeof(text));
}

/* The trace's uuid, the first of the metadata, of which `text` gets the begin. */
static bool find_uuid(int dirfd, uint8_t uuid[16], char text[ARENA_FILE_PATH_BYTES])
{
	static const char key[] = "uuid = \"";
	const char *at =
		read_metadata(dirfd, text, ARENA_FILE_PATH_BYTES) ? strstr(text, key) : NULL;
	int n = 0;

	for (at = at ? at + strlen(key) : ""; *at && n < 16; n++) {
		unsigned int byte;

		at += *at == '-';
		if (sscanf(at, "%2x", &byte) != 1 || !at[1]) {
			return false;
		}
		uuid[n] = (uint8_t)byte;
		at += 2;
	}
	return n == 16;
}

/* Why it stays: a process that lives may record into it. What a dead one left goes with it. */
static const char *why_in_use(int dirfd, const char *path)
{
	struct arena_place place = { .directory = path, .path = malloc(ARENA_FILE_PATH_BYTES) };
	const char *why = NULL;

	if (!place.path) {
		why = "out of memory";
	} else if (!find_uuid(dirfd, place.uuid, place.path)) {
		why = "its metadata cannot be read";
	} else if (!waymark_arena_remove_dead(&place)) {
		why = "a process records into it";
	}
	free(place.path);
	return why;
}

static int refuse(const char *path, int why, struct waymark_error *error)
{
	return waymark_fail(error, "%s: not replaced: %s", path, strerror(why));
}

/* The directory, if it holds a trace and nothing else; else -1, with the reason. */
static int open_trace(const char *path, struct waymark_error *error)
{
	int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dirfd < 0) {
		return refuse(path, errno, error);
	}
	errno = 0;
	if (!is_trace(dirfd) || !each_name(dirfd, check_name)) {
		int why = errno;

		close(dirfd);
		if (why == EMFILE || why == ENFILE || why == EACCES) {
			return refuse(path, why, error);
		}
		return waymark_fail(
			error, "%s: not replaced: it is no trace, or holds other files too", path);
	}
	return dirfd;
}

int waymark_ctf_may_replace(const char *path, struct waymark_error *error)
{
	int dirfd = open_trace(path, error);

	if (dirfd < 0) {
		return -1;
	}
	bool ok = faccessat(dirfd, ".", W_OK | X_OK, AT_EACCESS) == 0 && path_is_creatable(path);
	int why = errno;

	close(dirfd);
	return ok ? 0 : refuse(path, why, error);
}

int waymark_ctf_replace(const char *path, struct waymark_error *error)
{
	int dirfd = open_trace(path, error);

	if (dirfd < 0) {
		return -1;
	}
	const char *in_use = why_in_use(dirfd, path);

	if (in_use) {
		close(dirfd);
		return waymark_fail(error, "%s: not replaced: %s", path, in_use);
	}
	bool removed = each_name(dirfd, remove_name) && remove_file(dirfd, CTF_METADATA) &&
		       rmdir(path) == 0;
	int why = errno;

	close(dirfd);
	return removed ? 0 : refuse(path, why, error);
}
