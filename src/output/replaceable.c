/* SPDX-License-Identifier: MIT */
/*
 * Checks and removes outputs that are to be replaced, see output/replaceable.h. Only files that
 * belong to a trace (format/ctf_files.h) are removed. No link is followed, as another user may have
 * made it.
 */
#include "output/replaceable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/ctf_files.h"
#include "read/buffer.h"
#include "read/ctf/metadata.h"
#include "read/folder.h"

/*
 * Counts the entries of a folder for which `is_meant` is true; removes them if `count` is NULL.
 * Returns 0 or an errno.
 */
static int each_entry(const char *path, bool (*is_meant)(const char *name), size_t *count)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	int error = d ? 0 : errno;

	for (const struct dirent *e; !error && (e = readdir(d));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
			!is_meant(e->d_name)) {
			continue;
		}
		if (count) {
			++*count;
		} else if (unlinkat(fd, e->d_name, 0) != 0) {
			error = errno;
		}
	}
	if (d) {
		closedir(d);
	} else if (fd >= 0) {
		close(fd);
	}
	return error;
}

static bool is_not_of_trace(const char *name)
{
	return !ctf_file_is_of_trace(name);
}

static bool is_not_of_index(const char *name)
{
	return !ctf_file_is_of_index(name);
}

static char *index_of(const char *path)
{
	char *index;

	if (asprintf(&index, "%s/%s", path, CTF_INDEX) < 0) {
		abort();
	}
	return index;
}

/* True for a trace without an index folder; another file may have that name. */
static bool is_no_folder(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/*
 * Removes the metadata last: without it, the rest would be no trace, and would never be replaced.
 */
static int remove_trace(const char *path)
{
	char *index = index_of(path);
	int error = each_entry(index, ctf_file_is_of_index, NULL);

	if (!error && rmdir(index) != 0) {
		error = errno;
	}
	free(index);
	error = is_no_folder(error) ? 0 : error;
	error = error ? error : each_entry(path, ctf_file_is_beside_metadata, NULL);
	error = error ? error : each_entry(path, ctf_file_is_of_trace, NULL);
	return error || rmdir(path) == 0 ? error : errno;
}

int replaceable_remove(const struct replaceable *r, const char *path)
{
	struct folder_traces members = { 0 };
	struct arena arena;
	struct stat st;
	int error = 0;

	if (lstat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		return unlink(path) == 0 ? 0 : errno;
	}
	arena_init(&arena);
	folder_list(&members, &arena, path);
	for (size_t i = 0; i < members.paths.count && !error; i++) {
		error = remove_trace(members.paths.items[i]);
	}
	/* A folder of traces also has files of a trace if it was the first trace's folder. */
	error = error ? error : remove_trace(path);
	for (size_t i = 0; i < r->buffers.count && !error; i++) {
		unlink(r->buffers.items[i]);
	}
	vec_fini(&members.paths);
	arena_fini(&arena);
	return error;
}

/* Notes the memory of the trace's process for removal. Returns false while the process records. */
static bool check_buffer(struct replaceable *r, const char *path, const struct stat *st)
{
	struct buffer_source *buffer = NULL;
	struct ctf_metadata md;
	struct read_error ignored;
	struct stat original;
	bool is_free = true;
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error;

	ctf_metadata_init(&md, NULL);
	if (directory >= 0 && ctf_metadata_read(&md, directory, &ignored)) {
		buffer = buffer_source_open(path, md.uuid, &error);
	}
	/* The memory of a copied trace belongs to the original. */
	if (buffer && !(ctf_trace_is_there(buffer_source_trace(buffer), &original) &&
			      (original.st_dev != st->st_dev || original.st_ino != st->st_ino))) {
		is_free = buffer_source_is_dead(buffer) ||
			  error_set(r->error,
				  "is being recorded by process %" PRIu32 ": end that first",
				  buffer_source_header(buffer)->pid);
		vec_push(&r->buffers, xstrdup(buffer_source_path(buffer)));
	}
	buffer_source_close(buffer);
	ctf_metadata_fini(&md);
	if (directory >= 0) {
		close(directory);
	}
	return is_free;
}

/* Returns 0, or why not everything in a folder can be removed; ENOTEMPTY: it has other files. */
static int check_folder(const char *path, bool (*is_other)(const char *name))
{
	size_t others = 0;
	int error = each_entry(path, is_other, &others);

	if (error || others > 0) {
		return error ? error : ENOTEMPTY;
	}
	return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

static bool check_trace(struct replaceable *r, const char *path)
{
	char *index = index_of(path);
	struct stat st;
	int error = lstat(path, &st) == 0 ? check_folder(path, is_not_of_trace) : errno;

	if (!error) {
		error = check_folder(index, is_not_of_index);
		error = is_no_folder(error) ? 0 : error;
	}
	free(index);
	if (error == ENOTEMPTY) {
		return error_set(r->error,
			"is a directory with more than a trace in it: remove it yourself");
	}
	return error ? error_set(r->error, "cannot be removed: %s", strerror(error))
		     : check_buffer(r, path, &st);
}

/* Checks that a folder of traces contains nothing else. */
static bool check_members(struct replaceable *r, const char *path, const struct folder_traces *m)
{
	size_t others = 0;

	each_entry(path, is_not_of_trace, &others);
	if (others != m->paths.count) {
		return error_set(
			r->error, "is a directory with more than traces in it: remove it yourself");
	}
	vec_foreach (const char *const *, member, &m->paths) {
		if (!check_trace(r, *member)) {
			return false;
		}
	}
	return true;
}

bool replaceable_check(struct replaceable *r, const char *path)
{
	struct folder_traces members = { 0 };
	struct arena arena;
	struct stat st;

	replaceable_fini(r);
	if (lstat(path, &st) != 0) {
		return errno == ENOENT ||
		       error_set(r->error, "cannot be replaced: %s", strerror(errno));
	}
	if (!S_ISDIR(st.st_mode)) {
		return S_ISREG(st.st_mode) ||
		       error_set(r->error, "is neither a file nor a trace: remove it yourself");
	}
	arena_init(&arena);
	bool ok = folder_list(&members, &arena, path) ? check_members(r, path, &members)
						      : check_trace(r, path);

	vec_fini(&members.paths);
	arena_fini(&arena);
	return ok;
}

void replaceable_fini(struct replaceable *r)
{
	vec_foreach (char **, path, &r->buffers) {
		free(*path);
	}
	vec_fini(&r->buffers);
}
