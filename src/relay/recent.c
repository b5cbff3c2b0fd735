/* SPDX-License-Identifier: MIT */
/*
 * A process may remove its file before that is opened here: it ended within the time that this
 * process needs to wake up. Its trace is known by the name of the file then, and found if it is in
 * a folder where another process has recorded. An open file costs a descriptor, and memory of a
 * process that has ended, so files are open for a short time only: longer lives are in the lists.
 */
#include "relay/recent.h"

#include <dirent.h>
#include <errno.h>
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
#define ENDED_NS (10 * CLOCK_NS_PER_S) /* a trace stays in the list */
#define MISSED_MAX 64
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
	uint64_t begin_ns; /* when the kernel told of it */
};

struct recent_trace {
	struct relay_trace trace;
	uint64_t number;
	uint64_t end_ns;
};

struct recent {
	int fd; /* of inotify(7) */
	pthread_mutex_t lock;
	VEC(struct recent_buffer) buffers;
	VEC(struct recent_missed) missed;
	VEC(char *) folders; /* of traces */
	bool is_searched; /* nothing is new in these two */
	VEC(struct recent_trace) ended; /* by their numbers */
	uint64_t number; /* of the last one that has ended */
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
	r->fd = options->path_count == 0 ? watch(options) : -1;
	return r;
}

void recent_free(struct recent *r)
{
	vec_foreach (struct recent_buffer *, b, &r->buffers) {
		buffer_source_close(b->source);
	}
	vec_foreach (struct recent_trace *, t, &r->ended) {
		free(t->trace.path);
	}
	vec_foreach (char **, folder, &r->folders) {
		free(*folder);
	}
	vec_fini(&r->buffers);
	vec_fini(&r->missed);
	vec_fini(&r->folders);
	vec_fini(&r->ended);
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
	struct recent_missed m = { .begin_ns = clock_now_ns() };

	if (buffer_source_read_name(name, m.uuid) && r->missed.count < MISSED_MAX) {
		vec_push(&r->missed, m);
		r->is_searched = false;
	}
}

static void open_buffer(struct recent *r, const char *name)
{
	char path[PATH_MAX];
	int error;

	if (!buffer_source_is_name(name) || r->buffers.count == BUFFERS_MAX) {
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", buffer_source_folder(), name);
	const struct recent_buffer b = { buffer_source_open_path(path, &error), clock_now_ns() };

	if (b.source) {
		vec_push(&r->buffers, b);
	} else if (error == ENOENT) {
		add_missed(r, name);
	}
}

/* Opens the buffers of which the kernel has told. */
static void open_buffers(struct recent *r)
{
	_Alignas(struct inotify_event) char events[4096];
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
	if (size > 0 && r->folders.count < FOLDERS_MAX) {
		char *folder = xstrdup(trace);

		folder[size] = '\0';
		vec_push(&r->folders, folder);
		r->is_searched = false;
	}
}

/* Lists a trace whose process has ended. */
static void add_ended(struct recent *r, const struct leftover *o)
{
	const struct recent_trace t = {
		.trace = relay_trace_of(o), .number = ++r->number, .end_ns = clock_now_ns()
	};

	vec_push(&r->ended, t);
}

/* Notes where the process of a buffer records. */
static void end_buffer(struct recent *r, struct buffer_source *source, bool is_over)
{
	struct leftover o;

	leftover_describe(&o, source);
	if (leftover_is_readable(&o)) {
		add_folder(r, o.directory);
		if (is_over) {
			add_ended(r, &o);
		}
	}
	leftover_fini(&o);
}

/* Closes the buffers of processes that have ended, or are in the lists by now. */
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
		end_buffer(r, b->source, is_over);
		buffer_source_close(b->source);
	}
	r->buffers.count = kept;
}

/* Lists a folder that is the trace of a process that was missed. */
static void look_at(struct recent *r, const char *path)
{
	struct leftover o = { .has_trace = true };
	struct buffer_trace t = { 0 };
	struct stat st;
	size_t kept = 0;

	snprintf(t.directory, sizeof(t.directory), "%s", path);
	snprintf(o.directory, sizeof(o.directory), "%s", path);
	vec_foreach (const struct recent_missed *, m, &r->missed) {
		memcpy(t.uuid, m->uuid, sizeof(t.uuid));
		memcpy(o.uuid, m->uuid, sizeof(o.uuid));
		if (!ctf_trace_is_there(&t, &st)) {
			r->missed.items[kept++] = *m;
			continue;
		}
		o.uid = st.st_uid;
		if (leftover_is_readable(&o)) {
			add_ended(r, &o);
		}
	}
	r->missed.count = kept;
}

/* Looks at what is new in a folder, by its name with a slash. */
static void search_folder(struct recent *r, const char *folder)
{
	const time_t first = time(NULL) - (time_t)(ENDED_NS / CLOCK_NS_PER_S);
	DIR *entries = opendir(folder);
	char path[BUFFER_FILE_PATH_BYTES];
	struct stat st;

	for (const struct dirent *e; entries && r->missed.count > 0 && (e = readdir(entries));) {
		size_t size = (size_t)snprintf(path, sizeof(path), "%s%s", folder, e->d_name);

		if (e->d_name[0] != '.' && size < sizeof(path) && stat(path, &st) == 0 &&
			S_ISDIR(st.st_mode) && st.st_ctim.tv_sec >= first) {
			look_at(r, path);
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

	while (r->missed.count > 0 && now - r->missed.items[0].begin_ns > ENDED_NS) {
		memmove(r->missed.items, r->missed.items + 1,
			--r->missed.count * sizeof(r->missed.items[0]));
	}
	vec_foreach (char *const *, folder, &r->folders) {
		if (!r->is_searched) {
			search_folder(r, *folder);
		}
	}
	r->is_searched = true;
}

static void forget_ended(struct recent *r)
{
	const uint64_t now = clock_now_ns();
	size_t old = 0;

	while (old < r->ended.count && now - r->ended.items[old].end_ns > ENDED_NS) {
		free(r->ended.items[old++].trace.path);
	}
	r->ended.count -= old;
	if (old > 0) {
		memmove(r->ended.items, r->ended.items + old,
			r->ended.count * sizeof(r->ended.items[0]));
	}
}

static void take(struct recent *r)
{
	open_buffers(r);
	close_buffers(r);
	search(r);
	forget_ended(r);
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
	size_t first = r->ended.count;

	while (t && first > 0 && r->ended.items[first - 1].number > number) {
		first--;
	}
	for (size_t i = first; i < r->ended.count && t; i++) {
		struct relay_trace copy = r->ended.items[i].trace;

		copy.path = xstrdup(copy.path);
		vec_push(&t->all, copy);
	}
	number = r->number;
	pthread_mutex_unlock(&r->lock);
	return number;
}
