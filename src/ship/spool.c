/* SPDX-License-Identifier: MIT */
/*
 * Files get their names when they are complete and on the disk. Batches are numbered without a gap,
 * so the oldest is always s->first.
 */
#include "ship/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define POSITIONS "positions"
#define BATCH_NAME "%" PRIu64 ".batch"
#define NAME_SIZE 40

static bool fail(struct spool *s, const char *what)
{
	return error_set(s->error, "%s/%s: %s", s->path, what, strerror(errno));
}

/* ---- Files ---- */

static bool write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno != EINTR) {
			return false;
		}
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Replaces a file by a text and bytes after it. */
static bool replace(struct spool *s, const char *name, const char *text, const struct out *bytes)
{
	char new[NAME_SIZE + 4];

	snprintf(new, sizeof(new), "%s.new", name);
	int fd = openat(s->fd, new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && write_all(fd, text, strlen(text)) &&
		  (!bytes || write_all(fd, bytes->data, bytes->len)) && fdatasync(fd) == 0;

	ok = (ok && renameat(s->fd, new, s->fd, name) == 0 && fsync(s->fd) == 0) || fail(s, name);
	if (fd >= 0) {
		close(fd);
	}
	if (!ok) {
		unlinkat(s->fd, new, 0);
	}
	return ok;
}

/* Reads up to `size` bytes; returns their number, SIZE_MAX with errno after an error. */
static size_t read_up_to(int fd, char *bytes, size_t size)
{
	size_t have = 0;
	ssize_t n = 1;

	while (n != 0 && have < size) {
		n = read(fd, bytes + have, size - have);
		if (n < 0 && errno != EINTR) {
			return SIZE_MAX;
		}
		have += n > 0 ? (size_t)n : 0;
	}
	return have;
}

/* Reads a file of the folder; NULL with errno. The caller frees it. */
static char *read_all(struct spool *s, const char *name, size_t *size)
{
	int fd = openat(s->fd, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *bytes = NULL;
	size_t have = 0;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		bytes = xcalloc((size_t)st.st_size + 1, 1);
		have = read_up_to(fd, bytes, (size_t)st.st_size);
	}
	int error = errno;

	if (fd >= 0) {
		close(fd);
	}
	if (bytes && have == SIZE_MAX) {
		free(bytes);
		bytes = NULL;
	}
	errno = error;
	*size = have;
	return bytes;
}

/* ---- The folder ---- */

static uint64_t size_of(struct spool *s, const char *name)
{
	struct stat st;

	return fstatat(s->fd, name, &st, 0) == 0 ? (uint64_t)st.st_size : 0;
}

/* Counts the batches, and removes those that were not counted before, unless all places are new. */
static bool count_batches(struct spool *s, bool is_new)
{
	int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!folder) {
		return fail(s, ".");
	}
	s->first = s->next;
	while ((entry = readdir(folder))) {
		uint64_t number;
		int end = 0;

		if (sscanf(entry->d_name, BATCH_NAME "%n", &number, &end) != 1 ||
			entry->d_name[end]) {
			continue;
		}
		if (is_new && number > 0) {
			closedir(folder);
			return error_set(s->error,
				"%s has batches, but no " POSITIONS ": restore that, or remove "
				"the folder to send everything anew",
				s->path);
		}
		if (number >= s->next) {
			unlinkat(s->fd, entry->d_name, 0);
			continue;
		}
		s->first = number < s->first ? number : s->first;
		s->bytes += size_of(s, entry->d_name);
	}
	closedir(folder);
	return true;
}

static bool lock(struct spool *s)
{
	s->lock = openat(s->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (s->lock < 0) {
		return fail(s, "lock");
	}
	if (flock(s->lock, LOCK_EX | LOCK_NB) != 0) {
		return error_set(s->error,
			"%s: another waymark ship uses it: give each its own --state", s->path);
	}
	return true;
}

static json_t *read_positions(struct spool *s)
{
	size_t size;
	json_error_t why;
	char *text = read_all(s, POSITIONS, &size);

	if (!text && errno == ENOENT) {
		return json_object();
	}
	json_t *positions = text ? json_loadb(text, size, 0, &why) : NULL;

	free(text);
	if (!json_is_integer(json_object_get(positions, "next"))) {
		json_decref(positions);
		error_set(s->error,
			"%s/" POSITIONS " is damaged: events would be missing or stored twice; "
			"restore it, or remove the folder to send everything anew",
			s->path);
		return NULL;
	}
	s->next = (uint64_t)json_integer_value(json_object_get(positions, "next"));
	return positions;
}

json_t *spool_open(struct spool *s, const char *path)
{
	*s = (struct spool){ .path = path, .fd = -1, .lock = -1 };
	if (mkdir(path, 0700) != 0 && errno != EEXIST) {
		error_set(s->error, "%s: %s", path, strerror(errno));
		return NULL;
	}
	s->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0) {
		error_set(s->error, "%s: %s", path, strerror(errno));
		return NULL;
	}
	json_t *positions = lock(s) ? read_positions(s) : NULL;

	if (positions && !count_batches(s, json_object_size(positions) == 0)) {
		json_decref(positions);
		return NULL;
	}
	return positions;
}

void spool_close(struct spool *s)
{
	if (s->lock >= 0) {
		close(s->lock);
	}
	if (s->fd >= 0) {
		close(s->fd);
	}
}

bool spool_is_empty(struct spool *s)
{
	return __atomic_load_n(&s->first, __ATOMIC_ACQUIRE) ==
	       __atomic_load_n(&s->next, __ATOMIC_ACQUIRE);
}

uint64_t spool_bytes(struct spool *s)
{
	return __atomic_load_n(&s->bytes, __ATOMIC_RELAXED);
}

/* ---- Batches ---- */

static char *parts_as_text(const struct spool *s, const struct batch *b)
{
	json_t *parts = json_array();
	struct out line;

	vec_foreach (const struct batch_part *, p, &b->parts) {
		json_array_append_new(
			parts, json_pack("{s:s, s:s, s:i, s:I, s:I}", "table",
				       schema_tables[p->table].name, "server",
				       s->servers[p->server], "day", (int)p->day, "rows",
				       (json_int_t)p->rows, "bytes", (json_int_t)p->bytes));
	}
	char *text = json_dumps(parts, JSON_COMPACT);

	json_decref(parts);
	out_init(&line, OUT_TO_MEMORY);
	out_str(&line, text);
	out_str(&line, "\n");
	out_char(&line, '\0');
	free(text);
	return line.data;
}

/* Stores the positions with the number of the next batch. */
static bool store(struct spool *s, json_t *positions, uint64_t next)
{
	json_object_set_new(positions, "next", json_integer((json_int_t)next));
	char *text = json_dumps(positions, JSON_COMPACT | JSON_PRESERVE_ORDER);
	bool ok = text && replace(s, POSITIONS, text, NULL);

	free(text);
	return ok;
}

bool spool_keep(struct spool *s, json_t *positions)
{
	return store(s, positions, s->next);
}

bool spool_add(struct spool *s, const struct batch *b, json_t *positions)
{
	char name[NAME_SIZE];
	char *text = parts_as_text(s, b);

	snprintf(name, sizeof(name), BATCH_NAME, s->next);
	bool ok = replace(s, name, text, &b->frames);

	free(text);
	if (!ok || !store(s, positions, s->next + 1)) {
		return false; /* the next run removes the batch, if it does not count */
	}
	__atomic_fetch_add(&s->bytes, size_of(s, name), __ATOMIC_RELAXED);
	__atomic_store_n(&s->next, s->next + 1, __ATOMIC_RELEASE);
	return true;
}

static enum schema_kind table_of(const char *name)
{
	enum schema_kind table = 0;

	while (table < SCHEMA_TABLES && (!name || strcmp(name, schema_tables[table].name) != 0)) {
		table++;
	}
	return table;
}

/* Returns the number of a server; UINT32_MAX: it is none of them now. */
static uint32_t server_of(const struct spool *s, const char *name)
{
	for (size_t i = 0; i < s->server_count && name; i++) {
		if (strcmp(s->servers[i], name) == 0) {
			return (uint32_t)i;
		}
	}
	return UINT32_MAX;
}

/* Takes the list of parts; false if it does not describe `left` bytes. */
static bool take_parts(const struct spool *s, struct batch *b, const json_t *parts, size_t left)
{
	size_t i;
	const json_t *p;

	json_array_foreach(parts, i, p)
	{
		struct batch_part part = {
			.table = table_of(json_string_value(json_object_get(p, "table"))),
			.server = server_of(s, json_string_value(json_object_get(p, "server"))),
			.day = (uint32_t)json_integer_value(json_object_get(p, "day")),
			.rows = (uint64_t)json_integer_value(json_object_get(p, "rows")),
			.bytes = (size_t)json_integer_value(json_object_get(p, "bytes")),
		};

		if (part.table == SCHEMA_TABLES || part.bytes > left) {
			return false;
		}
		left -= part.bytes;
		vec_push(&b->parts, part);
	}
	return json_is_array(parts) && left == 0;
}

/* True if all parts are for servers of this run. */
static bool has_servers(const struct batch *b)
{
	vec_foreach (const struct batch_part *, p, &b->parts) {
		if (p->server == UINT32_MAX) {
			return false;
		}
	}
	return true;
}

/* Takes a batch out of the content of its file. */
static enum spool_result take_batch(
	const struct spool *s, struct batch *b, const char *bytes, size_t length)
{
	const char *line = memchr(bytes, '\n', length);
	json_t *parts = line ? json_loadb(bytes, (size_t)(line - bytes), 0, NULL) : NULL;
	size_t left = line ? length - (size_t)(line + 1 - bytes) : 0;
	bool is_whole = take_parts(s, b, parts, left);

	json_decref(parts);
	if (!is_whole) {
		return SPOOL_DAMAGED;
	}
	if (left > 0) {
		out_bytes(&b->frames, line + 1, left);
	}
	return has_servers(b) ? SPOOL_TAKEN : SPOOL_UNREADABLE;
}

enum spool_result spool_take(struct spool *s, struct batch *b, char *error, size_t size)
{
	char name[NAME_SIZE];
	size_t length;

	snprintf(name, sizeof(name), BATCH_NAME, s->first);
	char *bytes = read_all(s, name, &length);

	batch_begin(b, 0);
	if (!bytes && errno != ENOENT) {
		error_format(error, size, "%s/%s: %s", s->path, name, strerror(errno));
		return SPOOL_UNREADABLE;
	}
	enum spool_result result = bytes ? take_batch(s, b, bytes, length) : SPOOL_DAMAGED;

	free(bytes);
	error_format(error, size,
		result == SPOOL_DAMAGED ? "%s/%s is damaged: its rows are missing on the server"
					: "%s/%s is for a server that --to does not name now",
		s->path, name);
	return result;
}

void spool_drop(struct spool *s, bool is_damaged)
{
	char name[NAME_SIZE];
	char bad[NAME_SIZE];

	snprintf(name, sizeof(name), BATCH_NAME, s->first);
	snprintf(bad, sizeof(bad), "%" PRIu64 ".bad", s->first);
	uint64_t size = size_of(s, name);

	if (is_damaged) {
		renameat(s->fd, name, s->fd, bad);
	} else {
		unlinkat(s->fd, name, 0);
	}
	__atomic_fetch_sub(&s->bytes, size, __ATOMIC_RELAXED);
	__atomic_store_n(&s->first, s->first + 1, __ATOMIC_RELEASE);
}
