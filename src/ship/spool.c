/* SPDX-License-Identifier: MIT */
/* Files get their names when they are complete and on the disk. */
#include "ship/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define POSITIONS "positions"
#define DONE "done"
#define BATCH_NAME "%" PRIu64 ".batch"
#define NAME_SIZE 40
#define LOCK_PAUSE_NS 20000000 /* the child of a shipper that was killed still ends */
#define LOCK_TRIES 50

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

/* Returns the number of a server; that of servers if it is none of them now. */
static size_t queue_of(const struct spool *s, const char *name)
{
	size_t i = 0;

	while (i < s->servers->all.count &&
		!(name && server_shares(&s->servers->all.items[i], name))) {
		i++;
	}
	return i;
}

/* Returns for which server a batch is; a damaged one is in the first queue. */
static size_t queue_of_file(struct spool *s, const char *name)
{
	int fd = openat(s->fd, name, O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t length = file ? getline(&line, &size, file) : -1;
	json_t *parts = length > 0 ? json_loadb(line, (size_t)length, 0, NULL) : NULL;
	const json_t *server = json_object_get(json_array_get(parts, 0), "server");
	size_t queue = server ? queue_of(s, json_string_value(server)) : 0;

	json_decref(parts);
	free(line);
	if (file) {
		fclose(file);
	}
	return queue;
}

static void push(struct spool *s, const struct spooled *b)
{
	struct spool_queue *q = &s->queues[b->queue];

	vec_push(&q->all, *b);
	q->bytes += b->bytes;
}

/* Puts a batch of a former run into its queue; removes it if it does not count. */
static void find_batch(struct spool *s, const char *name, uint64_t number)
{
	struct spooled b = { .number = number, .bytes = size_of(s, name) };

	if (number >= s->next) {
		unlinkat(s->fd, name, 0);
		return;
	}
	b.queue = queue_of_file(s, name);
	if (b.queue < s->servers->all.count) {
		push(s, &b);
	} else {
		s->strange++;
	}
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t one = ((const struct spooled *)a)->number;
	uint64_t other = ((const struct spooled *)b)->number;

	return one < other ? -1 : one > other;
}

/* Finds the batches of former runs, unless all places are new. */
static bool find_batches(struct spool *s, bool is_new)
{
	int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!folder) {
		return fail(s, ".");
	}
	while ((entry = readdir(folder))) {
		uint64_t number;
		int end = 0;

		if (sscanf(entry->d_name, BATCH_NAME "%n", &number, &end) != 1 ||
			entry->d_name[end]) {
			continue;
		}
		if (is_new && number >= s->servers->all.count) {
			closedir(folder);
			return error_set(s->error,
				"%s has batches, but no " POSITIONS ": restore that, or remove "
				"the folder to send everything anew",
				s->path);
		}
		find_batch(s, entry->d_name, number);
	}
	closedir(folder);
	for (size_t i = 0; i < s->servers->all.count; i++) {
		struct spool_queue *q = &s->queues[i];

		if (q->all.count > 0) {
			qsort(q->all.items, q->all.count, sizeof(*q->all.items), compare_numbers);
		}
	}
	return true;
}

static bool lock(struct spool *s)
{
	const struct timespec pause = { 0, LOCK_PAUSE_NS };

	s->lock = openat(s->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (s->lock < 0) {
		return fail(s, "lock");
	}
	for (int i = 0; i < LOCK_TRIES && flock(s->lock, LOCK_EX | LOCK_NB) != 0; i++) {
		nanosleep(&pause, NULL);
	}
	if (flock(s->lock, LOCK_EX | LOCK_NB) != 0) {
		return error_set(s->error,
			"%s: another waymark ship uses it: give each its own --state", s->path);
	}
	return true;
}

/* Reads a file of JSON; NULL with errno, which is EBADMSG if it is none. */
static json_t *read_json(struct spool *s, const char *name)
{
	size_t size;
	char *text = read_all(s, name, &size);
	int why = text ? EBADMSG : errno;
	json_t *json = text ? json_loadb(text, size, 0, NULL) : NULL;

	free(text);
	errno = why;
	return json;
}

/* Fails because a file is missing or damaged, or cannot be read, as errno says. */
static json_t *fail_places(struct spool *s, const char *name)
{
	if (errno != ENOENT && errno != EBADMSG) {
		fail(s, name);
		return NULL;
	}
	error_set(s->error,
		"%s/%s is damaged: events would be missing or stored twice; "
		"restore it, or remove the folder to send everything anew",
		s->path, name);
	return NULL;
}

/* Puts traces into an object, by their uuids. */
static void put_traces(json_t *by_uuid, const json_t *traces)
{
	json_t *trace;
	size_t i;

	json_array_foreach(traces, i, trace)
	{
		const char *uuid = json_string_value(json_object_get(trace, "uuid"));

		if (uuid) {
			json_object_set(by_uuid, uuid, trace);
		}
	}
}

/* Adds the traces of `done` that the positions do not have. False: it is damaged. */
static bool add_done(struct spool *s, json_t *positions)
{
	json_t *done = read_json(s, DONE);
	bool ok = json_is_array(done) || (!done && errno == ENOENT);
	json_t *by_uuid = json_object();
	json_t *all = json_array();
	const char *uuid;
	json_t *trace;

	put_traces(by_uuid, done);
	put_traces(by_uuid, json_object_get(positions, "traces"));
	json_object_foreach(by_uuid, uuid, trace)
	{
		json_array_append(all, trace);
	}
	json_object_set_new(positions, "traces", all);
	json_decref(by_uuid);
	json_decref(done);
	return ok;
}

static json_t *read_positions(struct spool *s)
{
	json_t *positions = read_json(s, POSITIONS);

	if (!positions && errno == ENOENT && faccessat(s->fd, DONE, F_OK, 0) != 0) {
		return json_object();
	}
	bool is_whole = json_is_integer(json_object_get(positions, "next"));

	if (!is_whole || !add_done(s, positions)) {
		json_decref(positions);
		return fail_places(s, is_whole ? DONE : POSITIONS);
	}
	s->next = (uint64_t)json_integer_value(json_object_get(positions, "next"));
	return positions;
}

json_t *spool_open(struct spool *s, const char *path, const struct servers *servers)
{
	*s = (struct spool){ .path = path, .servers = servers, .fd = -1, .lock = -1 };
	s->queues = xcalloc(servers->all.count, sizeof(*s->queues));
	pthread_mutex_init(&s->mutex, NULL);
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

	if (positions && !find_batches(s, json_object_size(positions) == 0)) {
		json_decref(positions);
		return NULL;
	}
	return positions;
}

void spool_close(struct spool *s)
{
	if (!s->queues) {
		return; /* it was never opened */
	}
	for (size_t i = 0; i < s->servers->all.count; i++) {
		vec_fini(&s->queues[i].all);
	}
	free(s->queues);
	vec_fini(&s->added);
	pthread_mutex_destroy(&s->mutex);
	if (s->lock >= 0) {
		close(s->lock);
	}
	if (s->fd >= 0) {
		close(s->fd);
	}
}

size_t spool_count(struct spool *s, size_t queue)
{
	pthread_mutex_lock(&s->mutex);
	size_t count = s->queues[queue].all.count - s->queues[queue].taken;

	pthread_mutex_unlock(&s->mutex);
	return count;
}

uint64_t spool_bytes(struct spool *s, size_t queue)
{
	pthread_mutex_lock(&s->mutex);
	uint64_t bytes = s->queues[queue].bytes;

	pthread_mutex_unlock(&s->mutex);
	return bytes;
}

uint64_t spool_next(const struct spool *s, size_t queue)
{
	return s->next + queue;
}

/* ---- Batches ---- */

static char *parts_as_text(const char *server, const struct batch *b)
{
	json_t *parts = json_array();
	struct out line;

	vec_foreach (const struct batch_part *, p, &b->parts) {
		json_array_append_new(parts,
			json_pack("{s:s, s:s, s:i, s:I, s:I}", "table",
				schema_tables[p->table].name, "server", server, "day", (int)p->day,
				"rows", (json_int_t)p->rows, "bytes", (json_int_t)p->bytes));
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

bool spool_add(struct spool *s, size_t queue, const struct batch *b)
{
	char name[NAME_SIZE];
	char *text = parts_as_text(s->servers->all.items[queue].replicas, b);
	struct spooled added = { .number = spool_next(s, queue), .queue = queue };

	snprintf(name, sizeof(name), BATCH_NAME, added.number);
	bool ok = replace(s, name, text, &b->frames);

	free(text);
	added.bytes = size_of(s, name);
	if (ok) {
		vec_push(&s->added, added);
	}
	return ok;
}

bool spool_keep(struct spool *s, json_t *positions)
{
	uint64_t next = s->next + (s->added.count > 0 ? s->servers->all.count : 0);

	json_object_set_new(positions, "next", json_integer((json_int_t)next));
	char *text = json_dumps(positions, JSON_COMPACT | JSON_PRESERVE_ORDER);
	bool ok = text && replace(s, POSITIONS, text, NULL);

	free(text);
	if (!ok) {
		return false; /* the next run removes what was added, if it does not count */
	}
	s->next = next;
	pthread_mutex_lock(&s->mutex);
	vec_foreach (const struct spooled *, b, &s->added) {
		push(s, b);
	}
	pthread_mutex_unlock(&s->mutex);
	s->added.count = 0;
	return true;
}

bool spool_keep_done(struct spool *s, const json_t *traces)
{
	char *text = json_dumps(traces, JSON_COMPACT | JSON_PRESERVE_ORDER);
	bool ok = text && replace(s, DONE, text, NULL);

	free(text);
	return ok;
}

static enum schema_kind table_of(const char *name)
{
	enum schema_kind table = 0;

	while (table < SCHEMA_TABLES && (!name || strcmp(name, schema_tables[table].name) != 0)) {
		table++;
	}
	return table;
}

/* Takes the list of parts; false if it does not describe `left` bytes. */
static bool take_parts(struct batch *b, const json_t *parts, size_t left)
{
	size_t i;
	const json_t *p;

	json_array_foreach(parts, i, p)
	{
		struct batch_part part = {
			.table = table_of(json_string_value(json_object_get(p, "table"))),
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

/* Takes a batch out of the content of its file. */
static enum spool_result take_batch(struct batch *b, const char *bytes, size_t length)
{
	const char *line = memchr(bytes, '\n', length);
	json_t *parts = line ? json_loadb(bytes, (size_t)(line - bytes), 0, NULL) : NULL;
	size_t left = line ? length - (size_t)(line + 1 - bytes) : 0;
	bool is_whole = take_parts(b, parts, left);

	json_decref(parts);
	if (is_whole && left > 0) {
		out_bytes(&b->frames, line + 1, left);
	}
	return is_whole ? SPOOL_TAKEN : SPOOL_DAMAGED;
}

bool spool_oldest(struct spool *s, size_t queue, uint64_t *number)
{
	const struct spool_queue *q = &s->queues[queue];

	pthread_mutex_lock(&s->mutex);
	bool is = q->taken < q->all.count;

	*number = is ? q->all.items[q->taken].number : 0;
	pthread_mutex_unlock(&s->mutex);
	return is;
}

enum spool_result spool_take(
	struct spool *s, size_t queue, struct batch *b, char error[SPOOL_ERROR_SIZE])
{
	char name[NAME_SIZE];
	uint64_t number;
	size_t length;

	spool_oldest(s, queue, &number);
	snprintf(name, sizeof(name), BATCH_NAME, number);
	char *bytes = read_all(s, name, &length);

	batch_begin(b, 0);
	if (!bytes && errno != ENOENT) {
		error_format(error, SPOOL_ERROR_SIZE, "%s/%s: %s", s->path, name, strerror(errno));
		return SPOOL_UNREADABLE;
	}
	enum spool_result result = bytes ? take_batch(b, bytes, length) : SPOOL_DAMAGED;

	free(bytes);
	error_format(error, SPOOL_ERROR_SIZE,
		"%s/%s is damaged: its rows are missing on the server", s->path, name);
	return result;
}

void spool_drop(struct spool *s, size_t queue, bool is_damaged)
{
	struct spool_queue *q = &s->queues[queue];
	char name[NAME_SIZE];
	char bad[NAME_SIZE];
	uint64_t number;

	spool_oldest(s, queue, &number);
	snprintf(name, sizeof(name), BATCH_NAME, number);
	snprintf(bad, sizeof(bad), "%" PRIu64 ".bad", number);
	if (is_damaged) {
		renameat(s->fd, name, s->fd, bad);
	} else {
		unlinkat(s->fd, name, 0);
	}
	pthread_mutex_lock(&s->mutex);
	q->bytes -= q->all.items[q->taken].bytes;
	q->taken++;
	if (q->taken == q->all.count) {
		q->taken = q->all.count = 0;
	}
	pthread_mutex_unlock(&s->mutex);
}
