/* SPDX-License-Identifier: MIT */
/* Outputs under another name until they are whole, see write/staged.h. */
#include "write/staged.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "format/arena.h"
#include "format/ctf.h"
#include "read/arena.h"
#include "read/ctf/metadata.h"
#include "write/leftover.h"
#include "write/rename_to_new.h"
#include "write/replace.h"

static bool PRINTF(2, 3) fail(struct staged *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	return false;
}

/* A name beside `path` that nobody has, so that a rename is all it takes. */
static char *temporary_name(const char *path, const char *what)
{
	size_t n = strlen(path);
	char *name;

	while (n > 1 && path[n - 1] == '/') {
		n--;
	}
	if (asprintf(&name, "%.*s.%s-XXXXXX", (int)n, path, what) < 0) {
		abort();
	}
	return name;
}

/*
 * Whether a folder's file is a trace's, and may go with it: temporary ones, which
 * the runtime or a recovery that was killed left, included.
 */
static bool is_of_trace(const char *name)
{
	return strcmp(name, CTF_METADATA) == 0 || strcmp(name, CTF_INDEX) == 0 ||
	       strcmp(name, ARENA_FILE_IN_TRACE) == 0 || strcmp(name, CTF_METADATA_NEW) == 0 ||
	       strcmp(name, CTF_METADATA_NEW REPLACE_SUFFIX) == 0 ||
	       strncmp(name, CTF_STREAM, strlen(CTF_STREAM)) == 0;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name);

	return n > strlen(end) && strcmp(name + n - strlen(end), end) == 0;
}

static bool is_of_index(const char *name)
{
	return ends_with(name, CTF_INDEX_SUFFIX) ||
	       ends_with(name, CTF_INDEX_SUFFIX REPLACE_SUFFIX);
}

/* Calls nothing but `wanted` for each entry; removes them if asked. False: another one is there. */
static bool each_entry(const char *path, bool (*wanted)(const char *name), bool removes)
{
	DIR *d = opendir(path);
	bool ok = d;

	for (struct dirent *e; d && (e = readdir(d));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
			continue;
		}
		ok = ok && wanted(e->d_name);
		if (removes && wanted(e->d_name)) {
			unlinkat(dirfd(d), e->d_name, 0);
		}
	}
	if (d) {
		closedir(d);
	}
	return ok;
}

static void remove_trace(const char *path)
{
	char *index;

	if (asprintf(&index, "%s/%s", path, CTF_INDEX) < 0) {
		abort();
	}
	each_entry(index, is_of_index, true);
	rmdir(index);
	each_entry(path, is_of_trace, true);
	rmdir(path);
	free(index);
}

/*
 * Takes note of what the trace's process left in memory, which goes with it;
 * false while it lives.
 */
static bool may_go_with_arena(struct staged *s, struct arena_source *arena, const struct stat *st)
{
	struct stat original;
	bool is_live = arena_source_is_live(arena);
	bool is_copy = leftover_trace(arena_source_trace(arena), &original) &&
		       (original.st_dev != st->st_dev || original.st_ino != st->st_ino);

	free(s->arena);
	s->arena = is_copy ? NULL : xstrdup(arena_source_path(arena));
	if (is_live && !is_copy) {
		fail(s, "is being recorded by process %" PRIu32 ": end that first",
			arena_source_header(arena)->pid);
	}
	arena_source_close(arena);
	return !is_live || is_copy;
}

static bool trace_may_go(struct staged *s, const struct stat *st)
{
	struct arena_source *arena = NULL;
	struct ctf_metadata md;
	struct read_error ignored;
	int directory = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error;

	if (!each_entry(s->path, is_of_trace, false)) {
		if (directory >= 0) {
			close(directory);
		}
		return fail(s, "is a directory with more than a trace in it: remove it yourself");
	}
	ctf_metadata_init(&md, NULL);
	if (directory >= 0 && ctf_metadata_read(&md, directory, &ignored)) {
		arena = arena_source_open(s->path, md.uuid, &error);
	}
	ctf_metadata_fini(&md);
	if (directory >= 0) {
		close(directory);
	}
	return !arena || may_go_with_arena(s, arena, st);
}

/* What --replace may take away. */
static bool may_go(struct staged *s)
{
	struct stat st;

	if (lstat(s->path, &st) != 0) {
		return errno == ENOENT || fail(s, "cannot be replaced: %s", strerror(errno));
	}
	if (S_ISDIR(st.st_mode)) {
		return trace_may_go(s, &st);
	}
	return S_ISREG(st.st_mode) || fail(s, "is neither a file nor a trace: remove it yourself");
}

static bool in_the_way(struct staged *s)
{
	struct stat st;

	if (lstat(s->path, &st) != 0) {
		return false;
	}
	if (s->replaces) {
		return !may_go(s);
	}
	fail(s, "is there already; --replace takes it away");
	return true;
}

bool staged_begin(struct staged *s, const char *path, bool is_folder, bool replaces)
{
	mode_t mask = umask(0);

	umask(mask);
	*s = (struct staged){
		.path = path, .fd = -1, .is_folder = is_folder, .replaces = replaces
	};
	if (in_the_way(s)) {
		return false;
	}
	char *name = temporary_name(path, "new");

	if (is_folder && mkdtemp(name) && chmod(name, 0777 & ~mask) == 0) {
		s->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	} else if (!is_folder) {
		s->fd = mkostemp(name, O_CLOEXEC);
		if (s->fd >= 0) {
			fchmod(s->fd, 0666 & ~mask);
		}
	}
	if (s->fd < 0) {
		fail(s, "cannot be made: %s", strerror(errno));
		free(name);
		return false;
	}
	s->temporary = name;
	return true;
}

/* Moves the old one out of the way, the new one in, and then removes the old one. */
static bool exchange(struct staged *s)
{
	char *old = temporary_name(s->path, "old");
	bool was_there = mkdtemp(old) && rmdir(old) == 0 && rename(s->path, old) == 0;

	if (rename(s->temporary, s->path) != 0) {
		fail(s, "cannot be replaced: %s", strerror(errno));
		if (was_there) {
			rename(old, s->path);
		}
		free(old);
		return false;
	}
	if (was_there && unlink(old) != 0) {
		remove_trace(old);
	}
	if (s->arena) {
		unlink(s->arena);
	}
	free(old);
	return true;
}

static bool rename_new(struct staged *s)
{
	if (rename_to_new(s->temporary, s->path) == 0) {
		return true;
	}
	if (errno == EINVAL || errno == ENOSYS) { /* the file system has no such rename */
		return !in_the_way(s) && (rename(s->temporary, s->path) == 0 ||
						 fail(s, "cannot be made: %s", strerror(errno)));
	}
	return errno == EEXIST ? fail(s, "is there already; --replace takes it away")
			       : fail(s, "cannot be made: %s", strerror(errno));
}

bool staged_commit(struct staged *s)
{
	bool ok = s->replaces ? may_go(s) && exchange(s) : rename_new(s);

	if (ok) {
		free(s->temporary);
		s->temporary = NULL;
	}
	return ok;
}

void staged_fini(struct staged *s)
{
	free(s->arena);
	s->arena = NULL;
	if (s->fd >= 0) {
		close(s->fd);
		s->fd = -1;
	}
	if (s->temporary) {
		if (s->is_folder) {
			remove_trace(s->temporary);
		} else {
			unlink(s->temporary);
		}
		free(s->temporary);
		s->temporary = NULL;
	}
}

bool staged_remove(const char *path, char *error, size_t size)
{
	struct staged s = { .path = path, .fd = -1 };
	struct stat st;
	bool ok = (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) ||
		  fail(&s, "is no trace: remove it yourself");

	ok = ok && may_go(&s);
	if (ok) {
		remove_trace(path);
		ok = lstat(path, &st) != 0 || fail(&s, "cannot be removed: %s", strerror(errno));
	}
	if (ok && s.arena) {
		unlink(s.arena);
	}
	snprintf(error, size, "%s", s.error);
	staged_fini(&s);
	return ok;
}
