/* SPDX-License-Identifier: MIT */
/* A trace that waits beside its name, see output/aside.h. */
#include "output/aside.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "format/ctf.h"
#include "output/rename_to_new.h"

#define WHAT "old"

static bool PRINTF(2, 3) fail(struct aside *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(a->error, sizeof(a->error), fmt, ap);
	va_end(ap);
	return false;
}

/* Where the file system has no rename that replaces nothing, the look before has to do. */
static bool rename_if_free(const char *from, const char *to)
{
	struct stat st;

	if (rename_to_new(from, to) == 0) {
		return true;
	}
	return (errno == EINVAL || errno == ENOSYS) && lstat(to, &st) != 0 && rename(from, to) == 0;
}

/* Whether it is a trace of ours; with its status, whose change is the rename. */
static bool is_trace(const char *folder, struct stat *st)
{
	struct stat metadata;
	char *path;

	if (asprintf(&path, "%s/%s", folder, CTF_METADATA) < 0) {
		abort();
	}
	bool is = lstat(folder, st) == 0 && S_ISDIR(st->st_mode) && st->st_uid == geteuid() &&
		  lstat(path, &metadata) == 0;

	free(path);
	return is;
}

static bool is_later(const struct stat *a, const struct stat *b)
{
	return a->st_ctim.tv_sec != b->st_ctim.tv_sec ? a->st_ctim.tv_sec > b->st_ctim.tv_sec
						      : a->st_ctim.tv_nsec > b->st_ctim.tv_nsec;
}

/* Whether an entry is what replaceable_name() makes of a name. */
static bool is_aside(const char *entry, const char *name)
{
	static const char pattern[] = "." WHAT "-XXXXXX";
	size_t n = strlen(name);

	return strncmp(entry, name, n) == 0 && strlen(entry + n) == strlen(pattern) &&
	       strncmp(entry + n, pattern, strcspn(pattern, "X")) == 0;
}

/* The last trace of that name that was put aside and is there still; the caller frees it. */
static char *find_left(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char *folder = strndup(path, (size_t)(name - path));
	DIR *d = folder ? opendir(folder) : NULL;
	char *found = NULL;
	struct stat last = { 0 };

	for (const struct dirent *e; d && (e = readdir(d));) {
		struct stat st;
		char *left = NULL;

		if (!is_aside(e->d_name, name) || asprintf(&left, "%s%s", folder, e->d_name) < 0) {
			continue;
		}
		if (is_trace(left, &st) && (!found || is_later(&st, &last))) {
			char *before = found;

			found = left;
			left = before;
			last = st;
		}
		free(left);
	}
	if (d) {
		closedir(d);
	}
	free(folder);
	return found;
}

/* Where one was killed, what it put aside is the trace. */
static void take_back(const char *path)
{
	char *left = find_left(path);

	if (left) {
		rename_if_free(left, path);
	}
	free(left);
}

static bool put_aside(struct aside *a)
{
	char *name = replaceable_name(a->path, WHAT);

	/* A folder may have the name of an empty one. */
	if (mkdtemp(name) && rename(a->path, name) == 0) {
		a->name = name;
		return true;
	}
	fail(a, "cannot be put aside: %s", strerror(errno));
	rmdir(name);
	free(name);
	return false;
}

bool aside_begin(struct aside *a, const char *path)
{
	struct stat st;

	*a = (struct aside){ .path = path };
	if (lstat(path, &st) != 0 && errno == ENOENT) {
		take_back(path);
	}
	if (lstat(path, &st) != 0) {
		return errno == ENOENT || fail(a, "cannot be replaced: %s", strerror(errno));
	}
	bool ok = (S_ISDIR(st.st_mode) || fail(a, "is no trace: remove it yourself")) &&
		  (replaceable_check(&a->old, path) || fail(a, "%s", a->old.error)) && put_aside(a);

	if (!ok) {
		replaceable_fini(&a->old);
	}
	return ok;
}

static void forget(struct aside *a)
{
	replaceable_fini(&a->old);
	free(a->name);
	a->name = NULL;
}

bool aside_return(struct aside *a)
{
	bool ok = !a->name || rename_if_free(a->name, a->path) ||
		  fail(a, "what had the name is %s now: %s", a->name, strerror(errno));

	forget(a);
	return ok;
}

bool aside_remove(struct aside *a)
{
	int error = a->name ? replaceable_remove(&a->old, a->name) : 0;

	if (error) {
		fail(a, "what had the name is %s now, which cannot be removed: %s", a->name,
			strerror(error));
	}
	forget(a);
	return !error;
}
