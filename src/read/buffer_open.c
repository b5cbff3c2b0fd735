/* SPDX-License-Identifier: MIT */
/*
 * Opens buffer files: finds their paths, their traces and users, and whether a process records into
 * them. Every header is checked before use. For the CTF reader and for recovery.
 */
#include "read/buffer_source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "format/buffer_jail.h"
#include "read/buffer_owner.h"

/* Attempts to find out whether the process holds a lock. */
#define LOOKS 3

/*
 * A recovery, or a process that moves its buffer into its trace, needs time; a reader that checks
 * whether the process lives needs almost none.
 */
#define TRIES_OF_OTHERS 1000
#define TRIES_OF_PROCESS 20
#define TRY_NS (10 * 1000 * 1000)

int buffer_source_folder_error(void)
{
	const char *folder = secure_getenv(BUFFER_SOURCE_VARIABLE);
	struct stat st;

	if (!folder || !*folder) {
		return 0;
	}
	if (stat(folder, &st) != 0) {
		return errno;
	}
	return S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

static char *join(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		abort();
	}
	return path;
}

/* The prefix of buffers' names in the shared folder. */
static const char *prefix(void)
{
	return strrchr(BUFFER_FILE_PREFIX, '/') + 1;
}

static char *shared_path(const char *folder, const uint8_t uuid[16])
{
	char name[sizeof(BUFFER_FILE_PREFIX) + 32];
	char *digits = stpcpy(name, prefix());

	for (int i = 0; i < 16; i++) {
		sprintf(digits + 2 * i, "%02x", uuid[i]);
	}
	return join(folder, name);
}

/* Closes and frees a source that cannot be used. */
static struct buffer_source *fail(struct buffer_source *s, int *error, int reason)
{
	*error = reason;
	buffer_source_close(s);
	return NULL;
}

static bool header_is_sane(const struct buffer_source *s)
{
	const struct buffer_file *h = &s->header;

	return h->magic == BUFFER_FILE_MAGIC && buffer_file_is_known(h->version) &&
	       h->first_unit > 0 && h->first_unit <= s->bytes / BUFFER_UNIT &&
	       memchr(h->traces[0].directory, '\0', sizeof(h->traces[0].directory)) &&
	       memchr(h->traces[1].directory, '\0', sizeof(h->traces[1].directory));
}

/*
 * Makes the trace of that uuid the wanted one if it is the current one, or the next one of a turn
 * in progress.
 */
static bool find_trace(struct buffer_source *s, const uint8_t uuid[16])
{
	for (uint32_t turn = s->header.turn; turn <= s->header.turn + 1; turn++) {
		if (memcmp(s->header.traces[turn % 2].uuid, uuid, 16) == 0) {
			s->turn = turn;
			return true;
		}
	}
	return false;
}

bool buffer_source_read_name(const char *file, uint8_t uuid[16])
{
	const char *digits = strrchr(file, '-');

	for (int i = 0; i < 16; i++) {
		unsigned int byte;

		if (!digits || sscanf(digits + 1 + 2 * i, "%2x", &byte) != 1) {
			return false;
		}
		uuid[i] = (uint8_t)byte;
	}
	return true;
}

/* Finds the trace by the file's name, which has a trace's uuid unless renaming failed. */
static bool find_trace_by_name(struct buffer_source *s)
{
	uint8_t uuid[16];

	return buffer_source_read_name(s->path, uuid) && find_trace(s, uuid);
}

/* Opens a buffer and reads its header only. Takes ownership of the path. */
static struct buffer_source *open_header(char *path, int *error)
{
	struct buffer_source *s = xcalloc(1, sizeof(*s));
	struct stat st;

	s->path = path;
	s->fd = buffer_folder_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	if (s->fd < 0 || fstat(s->fd, &st) != 0) {
		return fail(s, error, errno);
	}
	s->bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	if (s->bytes < sizeof(s->header) ||
		!buffer_source_read(s, &s->header, sizeof(s->header), 0) || !header_is_sane(s)) {
		return fail(s, error, EBADMSG);
	}
	*error = 0;
	return s;
}

/* Maps a buffer whose header was read; does nothing for NULL. */
static struct buffer_source *map_whole(struct buffer_source *s, int *error)
{
	if (!s) {
		return NULL;
	}
	void *map = mmap(NULL, s->bytes, PROT_READ, MAP_SHARED, s->fd, 0);

	if (map == MAP_FAILED) {
		return fail(s, error, errno);
	}
	s->map = map;
	/* A turn renames the file; if it was not renamed, the header decides. */
	if (!find_trace_by_name(s)) {
		s->turn = s->header.turn;
	}
	return s;
}

static struct buffer_source *open_owned(char *path, int *error)
{
	return map_whole(open_header(path, error), error);
}

struct buffer_source *buffer_source_open_path(const char *path, int *error)
{
	return open_owned(xstrdup(path), error);
}

/* Any user may put files into /dev/shm: only the trace's owner and this user are trusted. */
static bool is_trusted(const struct buffer_source *s, const char *directory)
{
	struct stat buffer;
	struct stat trace;

	return fstat(s->fd, &buffer) == 0 &&
	       (buffer.st_uid == geteuid() ||
		       (stat(directory, &trace) == 0 && buffer.st_uid == trace.st_uid));
}

static struct buffer_source *open_of(
	char *path, const char *directory, const uint8_t uuid[16], int *error)
{
	struct buffer_source *s = open_owned(path, error);

	if (s && !find_trace(s, uuid)) {
		return fail(s, error, ENOENT);
	}
	return s && !is_trusted(s, directory) ? fail(s, error, EPERM) : s;
}

/* Looks for a buffer by its header, as a process without the rights could not rename it. */
static struct buffer_source *search(
	const char *folder, const char *directory, const uint8_t uuid[16], int *error)
{
	struct buffer_names names;
	struct buffer_source *found = NULL;
	bool is_short = !buffer_names_list(&names, folder) && error_is_shortage(errno);
	int why = 0;

	for (size_t i = 0; i < names.all.count && !found; i++) {
		struct buffer_source *s = open_header(join(folder, names.all.items[i]), &why);

		is_short |= !s && error_is_shortage(why);
		if (s && !find_trace_by_name(s) &&
			memcmp(s->header.traces[s->header.turn % 2].uuid, uuid, 16) == 0 &&
			is_trusted(s, directory)) {
			found = map_whole(s, &why);
		} else {
			buffer_source_close(s);
		}
	}
	buffer_names_fini(&names);
	*error = is_short && !found ? EMFILE : ENOENT;
	return found;
}

static struct buffer_source *open_in(const struct buffer_folder *folder, const char *directory,
	const uint8_t uuid[16], int *error)
{
	struct buffer_source *s = open_of(shared_path(folder->path, uuid), directory, uuid, error);

	s = s || *error != ENOENT ? s : search(folder->path, directory, uuid, error);
	if (s) {
		buffer_folder_copy(&s->folder, folder);
	}
	return s;
}

/* Looks in other folders. What others put there for this user not to read is not the trace's. */
static struct buffer_source *search_elsewhere(
	const char *directory, const uint8_t uuid[16], int *error)
{
	struct buffer_folders folders;
	struct buffer_source *found = NULL;

	buffer_folders_find(&folders);
	*error = folders.is_short ? EMFILE : ENOENT;
	for (size_t i = 1; i < folders.all.count && !found && *error == ENOENT; i++) {
		found = open_in(&folders.all.items[i], directory, uuid, error);
		*error = *error == EPERM || *error == EACCES ? ENOENT : *error;
	}
	buffer_folders_fini(&folders);
	return found;
}

struct buffer_source *buffer_source_open(const char *directory, const uint8_t uuid[16], int *error)
{
	const char *own = buffer_source_folder();
	struct buffer_source *s = open_of(shared_path(own, uuid), directory, uuid, error);

	if (!s && *error == ENOENT) {
		s = open_of(join(directory, BUFFER_FILE_IN_TRACE), directory, uuid, error);
	}
	if (!s && *error == ENOENT) {
		s = search(own, directory, uuid, error);
	}
	return s || *error != ENOENT ? s : search_elsewhere(directory, uuid, error);
}

void buffer_source_explain(char *text, size_t size, const uint8_t uuid[16], int error)
{
	char *shared = shared_path(buffer_source_folder(), uuid);
	struct stat st;
	bool is_shared = lstat(shared, &st) == 0 || errno != ENOENT;
	const char *path = is_shared ? shared : BUFFER_FILE_IN_TRACE;

	switch (error) {
	case EPERM:
		snprintf(text, size, "its process's memory (%.300s) is ignored: %s", path,
			"it belongs to another user");
		break;
	case EBADMSG:
		snprintf(text, size, "its process's memory (%.300s) is damaged", path);
		break;
	default:
		snprintf(text, size, "its process's memory (%.300s) cannot be read: %s", path,
			strerror(error));
	}
	free(shared);
}

void buffer_source_close(struct buffer_source *s)
{
	if (!s) {
		return;
	}
	if (s->map) {
		munmap((void *)(uintptr_t)s->map, s->bytes);
	}
	if (s->fd >= 0) {
		close(s->fd);
	}
	vec_fini(&s->scanned);
	vec_fini(&s->again);
	buffer_folder_fini(&s->folder);
	free(s->path);
	free(s);
}

bool buffer_source_read_again(struct buffer_source *s)
{
	return buffer_source_read(s, &s->header, sizeof(s->header), 0) && header_is_sane(s);
}

uid_t buffer_source_owner(const struct buffer_source *s)
{
	struct stat st;

	return fstat(s->fd, &st) == 0 ? st.st_uid : (uid_t)-1;
}

const struct buffer_file *buffer_source_header(const struct buffer_source *s)
{
	return &s->header;
}

struct buffer_totals buffer_source_totals(const struct buffer_source *s)
{
	return s->header.version == BUFFER_FILE_NO_TOTALS ? (struct buffer_totals){ 0 }
							  : s->header.totals;
}

/* Returns the wanted trace; the other entry if that one has the name that it got since. */
static const struct buffer_trace *trace_in(const struct buffer_source *s, const char *root)
{
	const struct buffer_trace *trace = &s->header.traces[s->turn % 2];
	const struct buffer_trace *other = &s->header.traces[(s->turn + 1) % 2];
	char path[BUFFER_FILE_PATH_BYTES];
	bool is_renamed =
		memcmp(trace->uuid, other->uuid, sizeof(trace->uuid)) == 0 &&
		!(buffer_folder_resolve(path, root, trace->directory) && access(path, F_OK) == 0);

	return is_renamed ? other : trace;
}

const struct buffer_trace *buffer_source_trace(const struct buffer_source *s)
{
	return trace_in(s, "");
}

bool buffer_source_trace_in(
	const struct buffer_source *s, const char *root, struct buffer_trace *trace)
{
	const struct buffer_trace *noted = trace_in(s, root);

	memcpy(trace->uuid, noted->uuid, sizeof(trace->uuid));
	return buffer_folder_resolve(trace->directory, root, noted->directory);
}

const char *buffer_source_path(const struct buffer_source *s)
{
	return s->path;
}

bool buffer_source_is_in_trace(const struct buffer_source *s)
{
	return strcmp(strrchr(s->path, '/') + 1, BUFFER_FILE_IN_TRACE) == 0;
}

/* ---- Locks ---- */

/*
 * True if a process of the jail may record: its own, or another of the family after that one
 * exited.
 */
static bool is_owned(const struct buffer_source *s)
{
	uint32_t pid = 0;
	enum buffer_owner owner = buffer_owner_look(s->fd, &pid);

	return (owner == BUFFER_OWNER_LIVES || owner == BUFFER_OWNER_NONE) &&
	       !buffer_source_is_anothers(s);
}

bool buffer_source_is_live(const struct buffer_source *s)
{
	if (s->header.jail.on) {
		return is_owned(s);
	}
	if (flock(s->fd, LOCK_EX | LOCK_NB) != 0) {
		return errno == EWOULDBLOCK;
	}
	flock(s->fd, LOCK_UN);
	return false;
}

/*
 * Returns EWOULDBLOCK if its process records and shares the lock, EBUSY if another process recovers
 * or moves it.
 */
static int why_locked(const struct buffer_source *s)
{
	if (flock(s->fd, LOCK_SH | LOCK_NB) != 0) {
		return errno == EWOULDBLOCK ? EBUSY : errno;
	}
	flock(s->fd, LOCK_UN);
	return EWOULDBLOCK;
}

bool buffer_source_is_dead(const struct buffer_source *s)
{
	int error = EWOULDBLOCK;

	if (s->header.jail.on) {
		return !is_owned(s);
	}
	/* Another reader that makes the same check holds the lock for a moment. */
	for (int i = 0; i < LOOKS && error == EWOULDBLOCK; i++) {
		error = flock(s->fd, LOCK_EX | LOCK_NB) == 0 ? 0 : why_locked(s);
	}
	flock(s->fd, LOCK_UN);
	return error != EWOULDBLOCK;
}

int buffer_source_lock(struct buffer_source *s)
{
	struct stat mine;
	struct stat named;

	if (s->header.jail.on && is_owned(s)) {
		return EWOULDBLOCK;
	}
	if (!s->header.jail.on && flock(s->fd, LOCK_EX | LOCK_NB) != 0) {
		return errno == EWOULDBLOCK ? why_locked(s) : errno;
	}
	if (fstat(s->fd, &mine) != 0 || lstat(s->path, &named) != 0 ||
		mine.st_dev != named.st_dev || mine.st_ino != named.st_ino) {
		return ENOENT;
	}
	return 0;
}

int buffer_source_lock_patiently(struct buffer_source *s)
{
	int error = buffer_source_lock(s);

	for (int i = 1; (error == EWOULDBLOCK && i < TRIES_OF_PROCESS) ||
			(error == EBUSY && i < TRIES_OF_OTHERS);
		i++) {
		nanosleep(&(struct timespec){ .tv_nsec = TRY_NS }, NULL);
		error = buffer_source_lock(s);
	}
	return error;
}
