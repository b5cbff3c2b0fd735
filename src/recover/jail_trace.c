/* SPDX-License-Identifier: MIT */
/*
 * Makes trace directories of jails, see recover/jail_trace.h. A directory is filled under a name
 * with the buffer's uuid, and then renamed to its own name, replacing nothing. If this process is
 * killed meanwhile, the next one finds the directory by either name and continues.
 */
#include "recover/jail_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ctf.h"
#include "output/output.h"
#include "read/ctf/metadata.h"
#include "write/packet_file.h"

#define NAMES_MAX 1000

/* The parts of a name. */
struct names {
	char folder[PATH_MAX];
	char first[NAME_MAX + 1]; /* of the first process's trace */
	uint32_t pid;
	bool is_first;
	bool is_named;
};

static void read_names(struct names *n, const struct jail_buffer *a, const char *place)
{
	char base[BUFFER_FILE_PATH_BYTES];
	char copy[BUFFER_FILE_PATH_BYTES];

	jail_buffer_base(a, base);
	memcpy(copy, base, sizeof(base));
	snprintf(n->folder, sizeof(n->folder), "%s", place ? place : dirname(copy));
	snprintf(n->first, sizeof(n->first), "%.255s", basename(base));
	n->pid = a->pid ? a->pid : a->file->pid;
	n->is_first = a->file->jail.is_first;
	n->is_named = a->file->jail.is_named;
}

/* Makes the `i`th name to try, from 0. Returns false if it is too long. */
static bool put_name(const struct names *n, char path[PATH_MAX], int i)
{
	char own[300];
	char number[16] = "";

	if (n->is_first) {
		snprintf(own, sizeof(own), "%s", n->first);
	} else if (n->is_named) {
		snprintf(own, sizeof(own), "%s.%" PRIu32, n->first, n->pid);
	} else {
		snprintf(own, sizeof(own), "trace-%" PRIu32 ".ctf", n->pid);
	}
	if (i > 0) {
		snprintf(number, sizeof(number), ".%d", i);
	}
	return snprintf(path, PATH_MAX, "%s/%s%s", n->folder, own, number) < PATH_MAX;
}

int jail_trace_append_metadata(const struct jail_buffer *a, int directory, bool *changed)
{
	uint64_t bytes = jail_buffer_text_bytes(a);
	int fd = openat(directory, CTF_METADATA, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	struct stat st;
	int error = fd < 0 || fstat(fd, &st) != 0 ? errno : 0;

	*changed = false;
	if (!error && (uint64_t)st.st_size < bytes) {
		uint64_t size = (uint64_t)st.st_size;

		error = packet_write_all(fd, a->text + size, bytes - size, size);
		*changed = true;
	}
	if (fd >= 0) {
		close(fd);
	}
	return error;
}

/* Changes the owner of a directory that root made to the process's user. */
static void give_to_owner(const struct jail_buffer *a, int directory)
{
	struct stat st;

	if (geteuid() == 0 && fstat(a->fd, &st) == 0 && st.st_uid != 0 &&
		fchown(directory, st.st_uid, st.st_gid) == 0) {
		fchownat(directory, CTF_METADATA, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW);
		fchownat(directory, CTF_INDEX, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW);
	}
}

static int make_temporary(const struct jail_buffer *a, const struct names *n, char path[PATH_MAX])
{
	int length = snprintf(path, PATH_MAX, "%s/.waymark-", n->folder);
	bool changed;

	if (length + 33 > PATH_MAX) {
		return ENAMETOOLONG;
	}
	for (int i = 0; i < 16; i++) {
		length += sprintf(path + length, "%02x", a->uuid[i]);
	}
	if (mkdir(path, 0777) != 0 && errno != EEXIST) {
		return errno;
	}
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (directory < 0) {
		return errno;
	}
	int error = mkdirat(directory, CTF_INDEX, 0777) != 0 && errno != EEXIST ? errno : 0;

	error = error ? error : jail_trace_append_metadata(a, directory, &changed);
	give_to_owner(a, directory);
	close(directory);
	return error;
}

/* True if the directory is the trace of this buffer. */
static bool is_there(const struct jail_buffer *a, const char *path)
{
	struct buffer_trace t;

	memcpy(t.uuid, a->uuid, sizeof(t.uuid));
	snprintf(t.directory, sizeof(t.directory), "%s", path);
	return ctf_trace_is_there(&t, NULL);
}

/* Copies the trace's name for the caller, and stores it in the buffer for readers. */
static void note_name(struct jail_buffer *a, const char *path, char *directory)
{
	strcpy(directory, path);
	for (int i = 0; i < 2; i++) {
		strcpy(a->file->traces[i].directory, path);
	}
	__atomic_store_n(&a->file->jail.staged, 1, __ATOMIC_RELEASE);
}

/* Finds a directory whose maker was killed before it stored the name. */
static bool find_named(struct jail_buffer *a, const struct names *n, char *directory)
{
	char path[PATH_MAX];

	for (int i = 0; i < NAMES_MAX && put_name(n, path, i); i++) {
		if (is_there(a, path)) {
			note_name(a, path, directory);
			return true;
		}
		if (access(path, F_OK) != 0) {
			break;
		}
	}
	return false;
}

/* True if the buffer names its trace; with a `place`, only one directly in that folder. */
static bool is_named_there(const struct jail_buffer *a, const char *place, char *directory)
{
	size_t length = place ? strlen(place) : 0;

	jail_buffer_directory(a, directory);
	return (!place || (strncmp(directory, place, length) == 0 && directory[length] == '/' &&
				  !strchr(directory + length + 1, '/'))) &&
	       is_there(a, directory);
}

/* Makes the directory under the first name that is free. */
static int make(struct jail_buffer *a, const char *place, char *directory)
{
	char temporary[PATH_MAX];
	char path[PATH_MAX];
	struct names n;

	read_names(&n, a, place);
	if (find_named(a, &n, directory)) {
		return 0;
	}
	int error = make_temporary(a, &n, temporary);

	if (error) {
		return error;
	}
	for (int i = 0; i < NAMES_MAX && put_name(&n, path, i); i++) {
		if (output_rename_new(temporary, path) == 0) {
			note_name(a, path, directory);
			return 0;
		}
		if (errno != EEXIST) {
			return errno;
		}
	}
	return ENAMETOOLONG;
}

int jail_trace_make(struct jail_buffer *a, const char *place, char *directory)
{
	int error = EAGAIN;

	if (a->file->jail.claim == BUFFER_RECORDS && jail_buffer_text_bytes(a) > 0) {
		if (a->file->jail.staged && is_named_there(a, place, directory)) {
			return 0;
		}
		error = make(a, place, directory);
	}
	if (error) {
		jail_buffer_base(a, directory);
	}
	return error;
}

int jail_trace_make_at(const char *path, const char *place, char *directory)
{
	struct jail_buffer a;
	int error = jail_buffer_open(&a, path);

	if (!error) {
		jail_buffer_owner(&a);
		error = jail_trace_make(&a, place, directory);
	}
	jail_buffer_close(&a);
	return error;
}
