/* SPDX-License-Identifier: MIT */
/* The steps of a recovery and their locks, see write/recover.h. */
#include "write/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "read/arena.h"
#include "read/reader.h"
#include "write/layout.h"
#include "write/leftover.h"
#include "write/recover_gaps.h"
#include "write/replace.h"
#include "write/stream_files.h"

/* Another recovery takes its time; a reader that looks whether the process lives, none. */
#define TRIES_OF_TRACE 1000
#define TRIES_OF_ARENA 20
#define TRY_NS (10 * 1000 * 1000)

struct recovery {
	const char *path;
	int directory;
	struct layouts layouts;
	struct arena_source *arena;
	struct stream_files files;
	struct recover_result *result;
};

static bool PRINTF(2, 3) fail(struct recover_result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->error, sizeof(r->error), fmt, ap);
	va_end(ap);
	return false;
}

static void pause_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = TRY_NS }, NULL);
}

static bool lock_trace(struct recovery *r)
{
	for (int i = 0; i < TRIES_OF_TRACE; i++) {
		if (flock(r->directory, LOCK_EX | LOCK_NB) == 0) {
			return true;
		}
		if (errno != EWOULDBLOCK && errno != EINTR) {
			/* A file system without locks has no second process here either. */
			return true;
		}
		pause_a_little();
	}
	return fail(r->result, "another process works on it; try again when it has ended");
}

static bool lock_arena(struct recovery *r)
{
	int error = EWOULDBLOCK;

	for (int i = 0; i < TRIES_OF_ARENA && error == EWOULDBLOCK; i++) {
		error = arena_source_lock(r->arena);
		if (error == EWOULDBLOCK) {
			pause_a_little();
		}
	}
	if (error == EWOULDBLOCK) {
		return fail(r->result,
			"is still being recorded by process %" PRIu32 "; end that first",
			arena_source_header(r->arena)->pid);
	}
	if (error == ENOENT) { /* thrown away meanwhile */
		arena_source_close(r->arena);
		r->arena = NULL;
		return true;
	}
	return !error || fail(r->result, "%s: cannot be locked: %s", arena_source_path(r->arena),
				 strerror(error));
}

static bool open_arena(struct recovery *r)
{
	int error;

	r->arena = arena_source_open(r->path, r->layouts.uuid, &error);
	if (r->arena) {
		return lock_arena(r);
	}
	switch (error) {
	case ENOENT:
		return true;
	case EBADMSG:
		return fail(r->result,
			"the arena that its process left in %s is damaged: remove it to go on",
			arena_source_folder());
	default:
		return fail(
			r->result, "what its process left cannot be opened: %s", strerror(error));
	}
}

static bool read_metadata(struct recovery *r)
{
	switch (layouts_read(&r->layouts, r->directory)) {
	case LAYOUTS_OK:
		return true;
	case LAYOUTS_CUT:
		return fail(
			r->result, "metadata: is cut before the first event: nothing can be read");
	case LAYOUTS_FOREIGN:
		return fail(r->result,
			"is of a host with the other byte order: recover it on one like that");
	case LAYOUTS_UNREADABLE:
		return fail(r->result, "metadata: cannot be read: %s", strerror(errno));
	default:
		return fail(r->result, "is not a trace of Waymark: it has no such metadata");
	}
}

/* A file out of a trace: the reader says which folder is meant. */
static bool is_of_folder(const char *path, struct read_error *why)
{
	const struct reader_options options = { 0 };
	struct reader *reader = reader_open(path, &options, why);

	reader_close(reader);
	return !reader && why->depth > 0;
}

static bool cannot_open(struct recovery *r, int error)
{
	struct recover_result *result = r->result;
	struct read_error why;

	if (error == ENOENT && leftover_explain(r->path, result->error, sizeof(result->error))) {
		return false;
	}
	if (error == ENOTDIR && is_of_folder(r->path, &why)) {
		return fail(result, "%s", why.text);
	}
	return fail(result,
		error == ENOTDIR ? "is not a trace: it is no directory" : "cannot be opened: %s",
		strerror(error));
}

static bool begin(struct recovery *r, const char *path, struct recover_result *result)
{
	*result = (struct recover_result){ 0 };
	*r = (struct recovery){ .path = path, .result = result };
	r->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return r->directory < 0 ? cannot_open(r, errno) : lock_trace(r) && read_metadata(r);
}

static void end(struct recovery *r)
{
	stream_files_close(&r->files);
	arena_source_close(r->arena);
	layouts_fini(&r->layouts);
	if (r->directory >= 0) {
		close(r->directory);
	}
}

static bool fold(struct recovery *r)
{
	struct arena_clock first;
	struct arena_clock now;
	uint64_t streams = arena_source_streams(r->arena);

	for (size_t i = 0; i < r->files.held_count; i++) {
		if (!stream_files_fold(&r->files, r->arena, &r->files.held[i])) {
			return false;
		}
	}
	arena_source_clock(r->arena, &first, &now);
	for (uint64_t stream = 1; stream <= streams; stream++) {
		struct arena_counts counts = arena_source_counts(r->arena, stream);

		if (!stream_files_account(&r->files, stream, counts.lost + counts.evicted, &now)) {
			return false;
		}
	}
	return true;
}

static bool mend_streams(struct recovery *r)
{
	struct stream_files *s = &r->files;
	bool ok = stream_files_open(s, r->directory, &r->layouts);

	if (ok && r->arena) {
		s->held_count = arena_source_scan(r->arena, &s->held);
	}
	ok = ok && stream_files_mend(s) && (!r->arena || fold(r)) &&
	     recover_mark_gaps(s, r->result) && stream_files_finish(s, &r->result->changed);
	return ok || fail(r->result, "%s", s->error);
}

static bool mend_metadata(struct recovery *r)
{
	struct arena_clock first = { 0 };
	struct arena_clock now = { 0 };
	struct replace text;
	struct out better;

	if (r->arena) {
		arena_source_clock(r->arena, &first, &now);
		layouts_get_begin(&r->layouts, &first);
	}
	out_init(&better, OUT_TO_MEMORY);
	layouts_put_text(&better, &r->layouts, &first, &now);
	bool same = better.len == r->layouts.length &&
		    memcmp(better.data, r->layouts.text, better.len) == 0;
	int error = same ? 0 : replace_begin(&text, r->directory, CTF_METADATA);

	if (!same && !error) {
		out_bytes(&text.out, better.data, better.len);
		error = replace_end(&text);
	}
	out_fini(&better);
	/* One that its process was writing when it was killed. */
	same = unlinkat(r->directory, CTF_METADATA_NEW, 0) != 0 && same;
	r->result->changed |= !same;
	return !error || fail(r->result, "metadata: cannot be written: %s", strerror(error));
}

/* Of a copied trace: the memory belongs to where its process recorded, as long as that is there. */
static bool is_of_original(const struct recovery *r)
{
	const struct arena_trace *trace = arena_source_trace(r->arena);
	struct stat original;
	struct stat mine;

	return leftover_trace(trace, &original) && fstat(r->directory, &mine) == 0 &&
	       (mine.st_dev != original.st_dev || mine.st_ino != original.st_ino);
}

static bool keep_arena(struct recovery *r)
{
	snprintf(r->result->kept_for, sizeof(r->result->kept_for), "%.299s",
		arena_source_trace(r->arena)->directory);
	arena_source_close(r->arena);
	r->arena = NULL;
	return true;
}

static bool sync_trace(const struct recovery *r)
{
	return !r->result->changed || fsync(r->directory) == 0 || errno == EINVAL ||
	       fail(r->result, "cannot be written: %s", strerror(errno));
}

/* Only when all of it is in the trace, and the trace on the disk. */
static bool remove_arena(struct recovery *r)
{
	if (!r->arena) {
		return true;
	}
	if (is_of_original(r)) {
		return keep_arena(r);
	}
	r->result->changed = true;
	return unlink(arena_source_path(r->arena)) == 0 || errno == ENOENT ||
	       fail(r->result, "%s: cannot be removed: %s", arena_source_path(r->arena),
		       strerror(errno));
}

/* Reads all of the trace: what its files hold is as it was, whole or damaged. */
static void look_at_all(struct recovery *r)
{
	const struct reader_options options = { 0 };
	struct recover_result *result = r->result;
	enum read_result got = READ_DAMAGED;
	struct read_error error;
	struct record rec;
	struct reader *reader = reader_open(r->path, &options, &error);

	do {
		got = reader ? reader_next(reader, &rec) : READ_DAMAGED;
		if (got != READ_PROBLEM && got != READ_DAMAGED) {
			continue;
		}
		if (result->faults++ == 0 && result->missing == 0) {
			snprintf(result->fault, sizeof(result->fault), "%s",
				reader ? reader->error.text : error.text);
		}
	} while (got == READ_RECORD || got == READ_PROBLEM);
	reader_close(reader);
}

static bool recover(const char *path, struct recover_result *result, bool keeps_arena)
{
	struct recovery r;
	bool ok = begin(&r, path, result) && open_arena(&r) && mend_streams(&r) &&
		  mend_metadata(&r) && sync_trace(&r) && (keeps_arena || remove_arena(&r));

	result->events = r.files.events;
	result->cut = r.files.cut;
	stream_files_count(&r.files, &result->streams, &result->lost);
	if (ok) {
		look_at_all(&r);
	}
	end(&r);
	return ok;
}

bool recover_trace(const char *path, struct recover_result *result)
{
	return recover(path, result, false);
}

bool recover_trace_beside(const char *path, struct recover_result *result)
{
	return recover(path, result, true);
}

static bool discard_arena(struct recovery *r)
{
	if (!r->arena || !lock_arena(r) || !r->arena) {
		return !r->result->error[0];
	}
	r->result->changed = true;
	return unlink(arena_source_path(r->arena)) == 0 ||
	       fail(r->result, "cannot be removed: %s", strerror(errno));
}

/* The arena of a trace, whatever is wrong with either; the file itself is one, too. */
static bool find_discarded(struct recovery *r)
{
	struct stat st;
	int error;

	if (stat(r->path, &st) == 0 && S_ISDIR(st.st_mode)) {
		r->directory = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (r->directory < 0 || !read_metadata(r)) {
			return r->directory < 0 ? fail(r->result, "cannot be opened") : false;
		}
		r->arena = arena_source_open(r->path, r->layouts.uuid, &error);
		return r->arena || error == ENOENT ||
		       fail(r->result, "what its process left: %s", strerror(error));
	}
	r->arena = arena_source_open_path(r->path, &error);
	return r->arena ||
	       fail(r->result, "is neither a trace nor what a process left%s%s",
		       error == EBADMSG ? "" : ": ", error == EBADMSG ? "" : strerror(error));
}

bool recover_discard(const char *path, struct recover_result *result)
{
	struct recovery r = { .path = path, .directory = -1, .result = result };

	*result = (struct recover_result){ 0 };
	bool ok = find_discarded(&r) && discard_arena(&r);

	end(&r);
	return ok;
}

bool recover_arena(const char *path, struct recover_result *result)
{
	int error;
	struct arena_source *arena = arena_source_open_path(path, &error);

	*result = (struct recover_result){ 0 };
	if (!arena) {
		return fail(result, "is no arena: %s", strerror(error));
	}
	const struct arena_trace trace = *arena_source_trace(arena);

	arena_source_close(arena);
	if (!leftover_trace(&trace, NULL)) {
		return fail(result,
			"its trace '%.300s' is gone: if it was moved, recover it where it is now; "
			"else 'waymark recover --discard' throws this away",
			trace.directory);
	}
	return recover_trace(trace.directory, result);
}
