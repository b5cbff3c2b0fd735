/* SPDX-License-Identifier: MIT */
/*
 * Lists the files of a trace's directory, and makes the streams of those files and of the packets
 * in memory. A process adds files while it is read, and removes old ones of a rotated trace; a file
 * that is being read stays in the list. Called by open.c, records.c and follow.c.
 */
#include "read/ctf/ctf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "format/ctf_files.h"
#include "format/ctf.h"

/* Seconds in which a second change may leave the directory's time as it is. */
#define SETTLED_S 1

/* Reads the first packet's header; false if the file is empty. */
static bool look(struct ctf_file *f, const struct ctf_trace *t)
{
	unsigned char bytes[sizeof(struct packet_header)];
	struct packet_header h;
	uint64_t size;
	int fd = ctf_file_open(f, t, &size);

	if (fd < 0) {
		return true; /* ctf_stream_next() reports it, or the listing fails */
	}
	bool is_whole = pread(fd, bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes);

	close(fd);
	if (is_whole && ctf_packet_begins(bytes, sizeof(bytes), t)) {
		ctf_packet_load(&h, bytes, t->swap);
		f->instance = h.stream_instance_id;
		f->sequence = h.sequence;
		f->begin = h.timestamp_begin;
		f->tid = h.tid;
	}
	return size > 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct ctf_file *x = a;
	const struct ctf_file *y = b;

	if (x->instance != y->instance) {
		return x->instance < y->instance ? -1 : 1;
	}
	if (x->sequence && y->sequence && x->sequence != y->sequence) {
		return x->sequence < y->sequence ? -1 : 1;
	}
	return (x->piece > y->piece) - (x->piece < y->piece);
}

/* Returns the file of that name; NULL if the name is no stream's. */
static struct ctf_file *get_file(struct ctf_reader *r, const char *name)
{
	struct ctf_file *f = hash_get(&r->known_files, name);
	uint64_t instance;
	uint64_t piece;

	if (!f && ctf_file_is_stream(name, &instance, &piece)) {
		f = arena_new(&r->names, struct ctf_file);
		*f = (struct ctf_file){
			.name = arena_strdup(&r->names, name),
			.instance = instance,
			.piece = (unsigned int)piece,
		};
		hash_add(&r->known_files, f->name, f);
	}
	return f;
}

/* Adds a file; an empty one is checked again at the next listing. False without a descriptor. */
static bool add_file(struct ctf_reader *r, const char *name, struct read_error *error)
{
	struct ctf_file *f = get_file(r, name);

	errno = 0;
	if (!f) {
		return true;
	}
	if (f->sequence > 0 || look(f, &r->trace)) {
		if (error_is_shortage(errno)) {
			return read_error_because(error, name, errno);
		}
		r->trace.is_rotated |= f->piece > 0;
		vec_push(&r->files, *f);
	} else {
		r->has_empty_files = true;
	}
	return true;
}

static bool is_listed(const struct ctf_reader *r, const char *name)
{
	vec_foreach (const struct ctf_file *, f, &r->files) {
		if (f->name == name) {
			return true;
		}
	}
	return false;
}

static bool list(struct ctf_reader *r, struct read_error *error)
{
	int fd = openat(r->trace.directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!directory) {
		return read_error_because(error, "cannot list the directory", errno);
	}
	r->files.count = 0;
	r->has_empty_files = false;
	bool ok = true;

	while (ok && (entry = readdir(directory))) {
		ok = add_file(r, entry->d_name, error);
	}
	closedir(directory);
	if (!ok) {
		return false;
	}
	/* A file that was removed while it is read stays in the list. */
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		if (s->map && !is_listed(r, s->at)) {
			vec_push(&r->files, *get_file(r, s->at));
		}
	}
	if (r->files.count > 0) {
		qsort(r->files.items, r->files.count, sizeof(*r->files.items), compare_files);
	}
	return true;
}

/* True if a new list could differ from the last one. */
static bool has_changed(struct ctf_reader *r)
{
	struct timespec now;
	struct stat st;

	if (fstat(r->trace.directory, &st) != 0) {
		return true;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	bool changed = r->has_empty_files || r->is_unsettled ||
		       st.st_mtim.tv_sec != r->listed.tv_sec ||
		       st.st_mtim.tv_nsec != r->listed.tv_nsec;

	r->listed = st.st_mtim;
	r->is_unsettled = now.tv_sec - st.st_mtim.tv_sec <= SETTLED_S;
	return changed;
}

/* Points the stream to its part of the list. */
static void point(struct ctf_reader *r, struct ctf_stream *s)
{
	const struct ctf_file *files = r->files.items;
	size_t begin = 0;
	size_t end = r->files.count;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (files[middle].instance < s->instance) {
			begin = middle + 1;
		} else {
			end = middle;
		}
	}
	while (end < r->files.count && files[end].instance == s->instance) {
		end++;
	}
	ctf_stream_point(s, files + begin, end - begin);
}

bool ctf_files_list(struct ctf_reader *r, struct read_error *error)
{
	if (!r->is_of_memory && has_changed(r) && !list(r, error)) {
		return false;
	}
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		point(r, s);
	}
	return true;
}

static int by_instance(const void *a, const void *b)
{
	const struct ctf_stream *x = a;
	const struct ctf_stream *y = b;

	return (x->instance > y->instance) - (x->instance < y->instance);
}

/* Searches the first `count` streams, which are sorted. */
static struct ctf_stream *find_stream(struct ctf_reader *r, size_t count, uint64_t instance)
{
	const struct ctf_stream key = { .instance = instance };

	return count ? bsearch(&key, r->streams.items, count, sizeof(key), by_instance) : NULL;
}

static void add_stream(struct ctf_reader *r, uint64_t instance, uint64_t begin)
{
	struct ctf_stream s = { .instance = instance, .ticks = begin, .resume = SIZE_MAX };

	vec_push(&r->streams, s);
}

/* Sorts the streams if there are more than the `known` ones. */
static void sort_added(struct ctf_reader *r, size_t known)
{
	if (r->streams.count > known) {
		qsort(r->streams.items, r->streams.count, sizeof(*r->streams.items), by_instance);
	}
}

/*
 * Adds streams of which only the count of lost events is left. Their gaps come at the start of
 * the trace.
 */
static void add_of_counts(struct ctf_reader *r)
{
	size_t known = r->streams.count;
	uint64_t count = r->trace.buffer ? buffer_source_streams(r->trace.buffer) : 0;
	struct buffer_clock begin;
	struct buffer_clock now;

	for (uint64_t n = 1; n <= count; n++) {
		struct buffer_counts lost = buffer_source_counts(r->trace.buffer, n);

		if ((int64_t)(lost.lost + lost.evicted) > 0 && !find_stream(r, known, n)) {
			buffer_source_clock(r->trace.buffer, &begin, &now);
			add_stream(r, n, begin.ticks);
		}
	}
	sort_added(r, known);
}

/* Assigns packets in memory to their streams; adds streams that have no other packets. */
static void add_left(struct ctf_reader *r, const struct buffer_packet *p, size_t count)
{
	size_t known = r->streams.count;

	for (size_t i = 0; i < count; i++) {
		uint64_t instance = p[i].header.stream_instance_id;

		if ((i == 0 || p[i - 1].header.stream_instance_id != instance) &&
			!find_stream(r, known, instance)) {
			add_stream(r, instance, p[i].header.timestamp_begin);
		}
	}
	sort_added(r, known);
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		s->left_count = 0;
		s->newest = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct ctf_stream *s =
			find_stream(r, r->streams.count, p[i].header.stream_instance_id);

		s->left = s->left_count++ ? s->left : &p[i];
		s->newest = p[i].header.sequence;
	}
}

bool ctf_streams_find(struct ctf_reader *r, const struct buffer_packet *left, size_t left_count,
	struct read_error *error)
{
	if (!ctf_files_list(r, error)) {
		return false;
	}
	/* Number of streams that have files. */
	size_t known = r->streams.count;
	uint64_t last = UINT64_MAX;

	vec_foreach (const struct ctf_file *, f, &r->files) {
		if (f->instance != last && !find_stream(r, known, f->instance)) {
			add_stream(r, f->instance, f->begin);
		}
		last = f->instance;
	}
	sort_added(r, known);
	add_of_counts(r);
	add_left(r, left, left_count);
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		point(r, s);
	}
	return true;
}
