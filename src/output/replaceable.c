/* SPDX-License-Identifier: MIT */
/* What may make room for an output, see output/replaceable.h. */
#include "output/replaceable.h"

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
#include "format/buffer.h"
#include "format/ctf.h"
#include "read/buffer.h"
#include "read/ctf/metadata.h"
#include "read/folder.h"
#include "output/file.h"

static bool PRINTF(2, 3) fail(struct replaceable *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->error, sizeof(r->error), fmt, ap);
	va_end(ap);
	return false;
}

char *replaceable_name(const char *path, const char *what)
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

static char *index_of(const char *path)
{
	char *index;

	if (asprintf(&index, "%s/%s", path, CTF_INDEX) < 0) {
		abort();
	}
	return index;
}

/*
 * Whether a folder's file is a trace's, and may go with it: temporary ones, which
 * the runtime or a recovery that was killed left, included.
 */
static bool is_beside_metadata(const char *name)
{
	return strcmp(name, CTF_INDEX) == 0 || strcmp(name, BUFFER_FILE_IN_TRACE) == 0 ||
	       strcmp(name, BUFFER_FILE_MOVING) == 0 || strcmp(name, CTF_METADATA_NEW) == 0 ||
	       strcmp(name, CTF_METADATA_NEW REPLACE_SUFFIX) == 0 ||
	       strncmp(name, CTF_STREAM, strlen(CTF_STREAM)) == 0;
}

static bool is_of_trace(const char *name)
{
	return strcmp(name, CTF_METADATA) == 0 || is_beside_metadata(name);
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

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Never follows a link, which another user may have put there. */
static DIR *open_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && !d) {
		close(fd);
	}
	return d;
}

static int at(DIR *d, bool (*wanted)(const char *name), bool removes)
{
	int error = 0;

	for (struct dirent *e; !error && (e = readdir(d));) {
		if (is_dot(e->d_name)) {
			continue;
		}
		if (!removes) {
			error = wanted(e->d_name) ? 0 : ENOTEMPTY;
		} else if (wanted(e->d_name) && unlinkat(dirfd(d), e->d_name, 0) != 0) {
			error = errno;
		}
	}
	return error;
}

/*
 * Removes what is wanted of a folder, or looks whether there is nothing else. 0 or an errno,
 * ENOTEMPTY: there is something else.
 */
static int each_entry(const char *path, bool (*wanted)(const char *name), bool removes)
{
	DIR *d = open_folder(path);
	int error = d ? at(d, wanted, removes) : errno;

	if (d) {
		closedir(d);
	}
	return error;
}

static size_t count_entries(const char *path, bool (*wanted)(const char *name))
{
	DIR *d = open_folder(path);
	size_t count = 0;

	for (struct dirent *e; d && (e = readdir(d));) {
		count += !is_dot(e->d_name) && wanted(e->d_name);
	}
	if (d) {
		closedir(d);
	}
	return count;
}

/* Whether there is no such folder: a trace without an index, or with something else there. */
static bool is_none(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

static int remove_index(const char *path)
{
	char *index = index_of(path);
	int error = each_entry(index, is_of_index, true);

	if (!error && rmdir(index) != 0) {
		error = errno;
	}
	free(index);
	return is_none(error) ? 0 : error;
}

/* Without its metadata what stays would be no trace: that goes last. */
static int remove_trace(const char *path)
{
	int error = remove_index(path);

	error = error ? error : each_entry(path, is_beside_metadata, true);
	error = error ? error : each_entry(path, is_of_trace, true);
	return error || rmdir(path) == 0 ? error : errno;
}

/* A trace, or the traces in a folder and then the folder, with what became that folder. */
static int remove_traces(const char *path)
{
	struct folder_traces members = { 0 };
	struct arena arena;
	int error = 0;

	arena_init(&arena);
	folder_list(&members, &arena, path);
	for (size_t i = 0; i < members.paths.count && !error; i++) {
		error = remove_trace(members.paths.items[i]);
	}
	vec_fini(&members.paths);
	arena_fini(&arena);
	return error ? error : remove_trace(path);
}

int replaceable_remove(struct replaceable *r, const char *path)
{
	int error = remove_traces(path);

	vec_foreach (char **, arena, &r->arenas) {
		if (!error) {
			unlink(*arena);
		}
	}
	return error;
}

/*
 * Takes note of what the trace's process left in memory, which goes with it;
 * false while it lives.
 */
static bool may_go_with_buffer(
	struct replaceable *r, struct buffer_source *arena, const struct stat *st)
{
	struct stat original;
	bool is_live = !buffer_source_is_dead(arena);
	bool is_copy = ctf_trace_is_there(buffer_source_trace(arena), &original) &&
		       (original.st_dev != st->st_dev || original.st_ino != st->st_ino);

	if (!is_copy) {
		vec_push(&r->arenas, xstrdup(buffer_source_path(arena)));
	}
	if (is_live && !is_copy) {
		fail(r, "is being recorded by process %" PRIu32 ": end that first",
			buffer_source_header(arena)->pid);
	}
	buffer_source_close(arena);
	return !is_live || is_copy;
}

static bool check_buffer(struct replaceable *r, const char *path, const struct stat *st)
{
	struct buffer_source *arena = NULL;
	struct ctf_metadata md;
	struct read_error ignored;
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error;

	ctf_metadata_init(&md, NULL);
	if (directory >= 0 && ctf_metadata_read(&md, directory, &ignored)) {
		arena = buffer_source_open(path, md.uuid, &error);
	}
	ctf_metadata_fini(&md);
	if (directory >= 0) {
		close(directory);
	}
	return !arena || may_go_with_buffer(r, arena, st);
}

/* 0, or why not all of a folder can be removed; ENOTEMPTY: what is no trace's would stay. */
static int check_folder(const char *path, bool (*wanted)(const char *name))
{
	int error = each_entry(path, wanted, false);

	return error || faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 ? error : errno;
}

static bool check_trace(struct replaceable *r, const char *path, const struct stat *st)
{
	char *index = index_of(path);
	int error = check_folder(path, is_of_trace);

	if (!error) {
		error = check_folder(index, is_of_index);
		error = is_none(error) ? 0 : error;
	}
	free(index);
	if (error == ENOTEMPTY) {
		return fail(r, "is a directory with more than a trace in it: remove it yourself");
	}
	return error ? fail(r, "cannot be removed: %s", strerror(error))
		     : check_buffer(r, path, st);
}

static bool is_member(const char *name)
{
	return *name && !is_of_trace(name);
}

/* The traces in a folder, and nothing else; false, with the reason. */
static bool check_members(struct replaceable *r, const char *path, const struct folder_traces *m)
{
	size_t others = count_entries(path, is_member);
	struct stat st;

	if (others != m->paths.count) {
		return fail(r, "is a directory with more than traces in it: remove it yourself");
	}
	vec_foreach (const char *const *, member, &m->paths) {
		if (lstat(*member, &st) != 0) {
			return fail(r, "cannot be removed: %s", strerror(errno));
		}
		if (!check_trace(r, *member, &st)) {
			return false;
		}
	}
	return true;
}

static bool check_directory(struct replaceable *r, const char *path, const struct stat *st)
{
	struct folder_traces members = { 0 };
	struct arena arena;

	arena_init(&arena);
	bool ok = folder_list(&members, &arena, path) ? check_members(r, path, &members)
						      : check_trace(r, path, st);

	vec_fini(&members.paths);
	arena_fini(&arena);
	return ok;
}

bool replaceable_check(struct replaceable *r, const char *path)
{
	struct stat st;

	replaceable_fini(r);
	if (lstat(path, &st) != 0) {
		return errno == ENOENT || fail(r, "cannot be replaced: %s", strerror(errno));
	}
	if (S_ISDIR(st.st_mode)) {
		return check_directory(r, path, &st);
	}
	return S_ISREG(st.st_mode) || fail(r, "is neither a file nor a trace: remove it yourself");
}

void replaceable_fini(struct replaceable *r)
{
	vec_foreach (char **, arena, &r->arenas) {
		free(*arena);
	}
	vec_fini(&r->arenas);
}
