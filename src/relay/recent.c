/* SPDX-License-Identifier: MIT */
/*
 * A process may remove its file before that is opened here: it ended within the time that this
 * process needs to wake up. Its trace is known by the name of the file then, and found if it is in
 * a folder where another process has recorded. An open file costs a descriptor, and memory of a
 * process that has ended, so files are open for a short time only.
 */
#include "relay/recent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "read/buffer.h"
#include "read/ctf/metadata.h"
#include "recover/leftover.h"

#define BUFFERS_MAX 256
#define BUFFER_NS (2 * CLOCK_NS_PER_S) /* a buffer stays open */
#define BEGUN_MAX 4096u /* traces that a viewer finds which was stopped, or is slow */
#define MISSED_MAX 1024
#define MISSED_NS (10 * CLOCK_NS_PER_S) /* a trace is searched for */
#define SKEW_S 10 /* of the clock of a file server */
#define FOLDERS_MAX 64
#define WAIT_MS 100

/* The buffer of a process that runs, or did. */
struct recent_buffer {
	struct buffer_source *source;
	uint64_t begin_ns; /* when it was opened */
};

/* A process whose buffer was gone. */
struct recent_missed {
	uint8_t uuid[16]; /* of its trace */
	uint64_t begin_ns; /* when it was missed */
	time_t since; /* its process had not begun */
};

struct recent_trace {
	struct relay_trace trace;
	uint64_t number;
};

struct recent {
	int fd; /* of inotify(7) */
	pthread_mutex_t lock;
	VEC(struct recent_buffer) buffers;
	VEC(struct recent_missed) missed;
	VEC(char *) folders; /* of traces, the last ones */
	bool is_searched; /* nothing is new in these two */
	VEC(struct recent_trace) begun; /* by their numbers */
	uint64_t number; /* of the last one */
	time_t taken; /* before the kernel was asked last */
};

/* Returns a descriptor that can be read when a process has begun; -1: there is none. */
static int watch(const struct relay_options *options)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char text[400];

	if (fd >= 0 &&
		inotify_add_watch(fd, buffer_source_folder(), IN_CREATE | IN_MOVED_TO) >= 0) {
		return fd;
	}
	snprintf(text, sizeof(text),
		"%.200s: inotify(7) fails: %s; programs that live for milliseconds are missed",
		buffer_source_folder(), strerror(errno));
	options->report(text);
	if (fd >= 0) {
		close(fd);
	}
	return -1;
}

struct recent *recent_new(const struct relay_options *options)
{
	struct recent *r = xcalloc(1, sizeof(*r));

	pthread_mutex_init(&r->lock, NULL);
	r->taken = time(NULL);
	r->fd = options->path_count == 0 ? watch(options) : -1;
	return r;
}

void recent_free(struct recent *r)
{
	vec_foreach (struct recent_buffer *, b, &r->buffers) {
		buffer_source_close(b->source);
	}
	vec_foreach (struct recent_trace *, t, &r->begun) {
		free(t->trace.path);
	}
	vec_foreach (char **, folder, &r->folders) {
		free(*folder);
	}
	vec_fini(&r->buffers);
	vec_fini(&r->missed);
	vec_fini(&r->folders);
	vec_fini(&r->begun);
	if (r->fd >= 0) {
		close(r->fd);
	}
	pthread_mutex_destroy(&r->lock);
	free(r);
}

int recent_fd(const struct recent *r)
{
	return r->fd;
}

int recent_wait_ms(struct recent *r)
{
	pthread_mutex_lock(&r->lock);
	int ms = r->buffers.count > 0 ? WAIT_MS : -1;

	pthread_mutex_unlock(&r->lock);
	return ms;
}

/* ---- Under the lock ---- */

static void add_missed(struct recent *r, const char *name)
{
	struct recent_missed m = { .begin_ns = clock_now_ns(), .since = r->taken - SKEW_S };

	if (buffer_source_read_name(name, m.uuid) && r->missed.count < MISSED_MAX) {
		vec_push(&r->missed, m);
		r->is_searched = false;
	}
}

static void open_buffer(struct recent *r, const char *name)
{
	struct recent_buffer b = { .begin_ns = clock_now_ns() };
	char path[PATH_MAX];
	int error = 0;

	if (!buffer_source_is_name(name)) {
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", buffer_source_folder(), name);
	b.source = r->buffers.count < BUFFERS_MAX ? buffer_source_open_path(path, &error) : NULL;
	if (b.source) {
		vec_push(&r->buffers, b);
	} else if (error != EACCES) {
		add_missed(r, name);
	}
}

/* Opens the buffers of which the kernel has told. */
static void open_buffers(struct recent *r)
{
	_Alignas(struct inotify_event) char events[4096];
	const time_t now = time(NULL);
	ssize_t size;

	while (r->fd >= 0 && (size = read(r->fd, events, sizeof(events))) > 0) {
		for (const char *at = events; at < events + size;) {
			const struct inotify_event *e = (const void *)at;

			if (e->len > 0) {
				open_buffer(r, e->name);
			}
			at += sizeof(*e) + e->len;
		}
	}
	r->taken = now;
}

/* Notes the folder that a trace is in. */
static void add_folder(struct recent *r, const char *trace)
{
	const char *slash = strrchr(trace, '/');
	size_t size = slash ? (size_t)(slash - trace) + 1 : 0;

	vec_foreach (char *const *, folder, &r->folders) {
		if (strlen(*folder) == size && memcmp(*folder, trace, size) == 0) {
			return;
		}
	}
	if (size == 0) {
		return;
	}
	if (r->folders.count == FOLDERS_MAX) {
		free(r->folders.items[0]);
		memmove(r->folders.items, r->folders.items + 1,
			--r->folders.count * sizeof(r->folders.items[0]));
	}
	char *copy = xstrdup(trace);

	copy[size] = '\0';
	vec_push(&r->folders, copy);
	r->is_searched = false;
}

/* Lists a trace. */
static void add_begun(struct recent *r, const struct leftover *o)
{
	const struct recent_trace t = { .trace = relay_trace_of(o), .number = ++r->number };

	vec_push(&r->begun, t);
}

/* Notes where the process of a buffer records. */
static void note_buffer(struct recent *r, struct buffer_source *source)
{
	struct leftover o;

	leftover_describe(&o, source);
	if (leftover_is_readable(&o)) {
		add_folder(r, o.directory);
		add_begun(r, &o);
	}
	leftover_fini(&o);
}

/* Lists the traces of processes that have ended, or live for some time. */
static void close_buffers(struct recent *r)
{
	const uint64_t now = clock_now_ns();
	size_t kept = 0;

	vec_foreach (const struct recent_buffer *, b, &r->buffers) {
		bool is_over =
			buffer_source_is_closed(b->source) || !buffer_source_is_live(b->source);

		if (!is_over && now - b->begin_ns < BUFFER_NS) {
			r->buffers.items[kept++] = *b;
			continue;
		}
		note_buffer(r, b->source);
		buffer_source_close(b->source);
	}
	r->buffers.count = kept;
}

/* Returns the index of a trace that was missed; their number: it is none of them. */
static size_t missed_of(const struct recent *r, const uint8_t uuid[16])
{
	size_t i = 0;

	while (i < r->missed.count && memcmp(r->missed.items[i].uuid, uuid, 16) != 0) {
		i++;
	}
	return i;
}

static void remove_missed(struct recent *r, size_t i)
{
	memmove(r->missed.items + i, r->missed.items + i + 1,
		(--r->missed.count - i) * sizeof(r->missed.items[0]));
}

/* Lists a folder that is the trace of a process that was missed. */
static void look_at(struct recent *r, const char *path, uid_t owner)
{
	struct leftover o = { .has_trace = true, .uid = owner };
	struct ctf_metadata md;
	struct read_error ignored;
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ctf_metadata_init(&md, NULL);
	size_t i = folder >= 0 && ctf_metadata_read(&md, folder, &ignored) ? missed_of(r, md.uuid)
									   : r->missed.count;

	if (i < r->missed.count) {
		snprintf(o.directory, sizeof(o.directory), "%s", path);
		memcpy(o.uuid, md.uuid, sizeof(o.uuid));
		remove_missed(r, i);
	}
	if (leftover_is_readable(&o)) {
		add_begun(r, &o);
	}
	ctf_metadata_fini(&md);
	if (folder >= 0) {
		close(folder);
	}
}

/* Looks at what is new in a folder, by its name with a slash. */
static void search_folder(struct recent *r, const char *folder)
{
	DIR *entries = opendir(folder);
	char path[BUFFER_FILE_PATH_BYTES];
	struct stat st;

	for (const struct dirent *e; entries && r->missed.count > 0 && (e = readdir(entries));) {
		size_t size = (size_t)snprintf(path, sizeof(path), "%s%s", folder, e->d_name);

		if (e->d_name[0] != '.' && size < sizeof(path) && stat(path, &st) == 0 &&
			S_ISDIR(st.st_mode) && st.st_ctim.tv_sec >= r->missed.items[0].since) {
			look_at(r, path, st.st_uid);
		}
	}
	if (entries) {
		closedir(entries);
	}
}

/* Searches for the traces of processes that were missed. */
static void search(struct recent *r)
{
	const uint64_t now = clock_now_ns();

	while (r->missed.count > 0 && now - r->missed.items[0].begin_ns > MISSED_NS) {
		remove_missed(r, 0);
	}
	vec_foreach (char *const *, folder, &r->folders) {
		if (!r->is_searched) {
			search_folder(r, *folder);
		}
	}
	r->is_searched = true;
}

static void forget_begun(struct recent *r)
{
	size_t old = r->begun.count > BEGUN_MAX ? r->begun.count - BEGUN_MAX : 0;

	for (size_t i = 0; i < old; i++) {
		free(r->begun.items[i].trace.path);
	}
	r->begun.count -= old;
	if (old > 0) {
		memmove(r->begun.items, r->begun.items + old,
			r->begun.count * sizeof(r->begun.items[0]));
	}
}

static void take(struct recent *r)
{
	open_buffers(r);
	close_buffers(r);
	search(r);
	forget_begun(r);
}

/* ---- For all ---- */

void recent_take(struct recent *r)
{
	pthread_mutex_lock(&r->lock);
	take(r);
	pthread_mutex_unlock(&r->lock);
}

uint64_t recent_list(struct recent *r, uint64_t number, struct relay_traces *t)
{
	if (!r) {
		return 0;
	}
	pthread_mutex_lock(&r->lock);
	take(r);
	size_t first = r->begun.count;

	while (t && first > 0 && r->begun.items[first - 1].number > number) {
		first--;
	}
	for (size_t i = first; i < r->begun.count && t; i++) {
		struct relay_trace copy = r->begun.items[i].trace;

		copy.path = xstrdup(copy.path);
		vec_push(&t->all, copy);
	}
	number = r->number;
	pthread_mutex_unlock(&r->lock);
	return number;
}
