/* SPDX-License-Identifier: MIT */
/* The steps of a recovery, see recover/recover.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ctf.h"
#include "read/reader.h"
#include "read/ctf/metadata.h"
#include "recover/recover_gaps.h"
#include "recover/recovery.h"
#include "output/file.h"

static bool fold(struct recovery *r)
{
	struct buffer_clock first;
	struct buffer_clock now;
	uint64_t streams = buffer_source_streams(r->buffer);

	for (size_t i = 0; i < r->files.held_count; i++) {
		if (!stream_files_fold(&r->files, r->buffer, &r->files.held[i])) {
			return false;
		}
	}
	buffer_source_clock(r->buffer, &first, &now);
	for (uint64_t stream = 1; stream <= streams; stream++) {
		struct buffer_counts counts = buffer_source_counts(r->buffer, stream);

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

	if (ok && r->buffer) {
		s->has_memory = true;
		s->held_count = buffer_source_scan(r->buffer, &s->held);
	}
	ok = ok && stream_files_mend(s) && (!r->buffer || fold(r)) &&
	     recover_mark_gaps(s, r->result) && stream_files_finish(s, &r->result->changed);
	return ok || recovery_fail(r->result, "%s", s->error);
}

/* Only memory that was here has brought in what was missing. */
static uint64_t state_behind(const struct recovery *r)
{
	uint64_t ended = layouts_ended(&r->layouts);

	return ended == CTF_UNFINISHED && r->buffer ? CTF_RECOVERED : ended;
}

static bool mend_metadata(struct recovery *r)
{
	struct buffer_clock first = { 0 };
	struct buffer_clock now = { 0 };
	struct output_file text;
	struct out better;

	if (r->buffer) {
		buffer_source_clock(r->buffer, &first, &now);
		layouts_get_begin(&r->layouts, &first);
	}
	out_init(&better, OUT_TO_MEMORY);
	layouts_put_text(&better, &r->layouts, state_behind(r), &first, &now);
	bool same = better.len == r->layouts.length &&
		    memcmp(better.data, r->layouts.text, better.len) == 0;
	int error = same ? 0 : output_file_begin(&text, r->directory, CTF_METADATA);

	if (!same && !error) {
		out_bytes(&text.out, better.data, better.len);
		error = output_file_commit(&text);
	}
	out_fini(&better);
	/* One that its process was writing when it was killed. */
	same = unlinkat(r->directory, CTF_METADATA_NEW, 0) != 0 && same;
	r->result->changed |= !same;
	return !error ||
	       recovery_fail(r->result, "metadata: cannot be written: %s", strerror(error));
}

/* Of a copied trace: the memory belongs to where its process recorded, as long as that is there. */
static bool is_of_original(const struct recovery *r)
{
	const struct buffer_trace *trace = buffer_source_trace(r->buffer);
	struct stat original;
	struct stat mine;

	return !buffer_source_is_in_trace(r->buffer) && ctf_trace_is_there(trace, &original) &&
	       fstat(r->directory, &mine) == 0 &&
	       (mine.st_dev != original.st_dev || mine.st_ino != original.st_ino);
}

static bool keep_buffer(struct recovery *r)
{
	snprintf(r->result->kept_for, sizeof(r->result->kept_for), "%.299s",
		buffer_source_trace(r->buffer)->directory);
	buffer_source_close(r->buffer);
	r->buffer = NULL;
	return true;
}

static bool sync_trace(const struct recovery *r)
{
	return !r->result->changed || fsync(r->directory) == 0 || errno == EINVAL ||
	       recovery_fail(r->result, "cannot be written: %s", strerror(errno));
}

/* What a process left that was killed while it moved the memory here: nobody reads it. */
static void remove_moving(struct recovery *r)
{
	if (unlinkat(r->directory, BUFFER_FILE_MOVING, 0) == 0) {
		r->result->changed = true;
	}
}

/* The same of one that had just moved it: this file has what the first one has, which goes last. */
static bool remove_moved(const struct recovery *r)
{
	struct buffer_file moved = { 0 };
	int fd = buffer_source_is_in_trace(r->buffer)
			 ? -1
			 : openat(r->directory, BUFFER_FILE_IN_TRACE,
				   O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0) {
		return true;
	}
	bool same = read(fd, &moved, sizeof(moved)) == (ssize_t)sizeof(moved) &&
		    memcmp(&moved, buffer_source_header(r->buffer), sizeof(moved)) == 0;

	close(fd);
	return !same || unlinkat(r->directory, BUFFER_FILE_IN_TRACE, 0) == 0;
}

/* Only when all of it is in the trace, and the trace on the disk. */
static bool remove_buffer(struct recovery *r)
{
	remove_moving(r);
	if (!r->buffer) {
		return true;
	}
	if (is_of_original(r)) {
		return keep_buffer(r);
	}
	r->result->changed = true;
	if (!remove_moved(r)) {
		return recovery_fail(
			r->result, BUFFER_FILE_IN_TRACE ": cannot be removed: %s", strerror(errno));
	}
	return unlink(buffer_source_path(r->buffer)) == 0 || errno == ENOENT ||
	       recovery_fail(r->result, "%s: cannot be removed: %s", buffer_source_path(r->buffer),
		       strerror(errno));
}

static void add_fault(struct recover_result *result, const char *what)
{
	result->faults++;
	if (!result->fault[0]) {
		snprintf(result->fault, sizeof(result->fault), "%s", what);
	}
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
		add_fault(result, reader ? reader->error.text : error.text);
	} while (got == READ_RECORD || got == READ_PROBLEM);
	reader_close(reader);
}

static bool recover(const char *path, struct recover_result *result, bool keeps_buffer)
{
	struct recovery r;
	bool ok = recovery_begin(&r, path, result) && recovery_open_buffer(&r) &&
		  mend_streams(&r) && mend_metadata(&r) && sync_trace(&r) &&
		  (keeps_buffer || remove_buffer(&r));

	result->events = r.files.events;
	result->cut = r.files.cut;
	stream_files_count(&r.files, &result->streams, &result->lost);
	if (ok && r.lacks_memory) {
		add_fault(result, READ_UNFINISHED);
	}
	if (ok) {
		look_at_all(&r);
	}
	recovery_end(&r);
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

bool recover_buffer(const char *path, struct recover_result *result)
{
	int error;
	struct buffer_source *buffer = buffer_source_open_path(path, &error);

	*result = (struct recover_result){ 0 };
	if (!buffer) {
		return recovery_fail(result, "is no buffer: %s", strerror(error));
	}
	const struct buffer_trace trace = *buffer_source_trace(buffer);

	buffer_source_close(buffer);
	if (!trace.directory[0]) {
		return recovery_fail(result,
			"its process could not make its trace, which would say what the events in "
			"it are: 'waymark recover --discard' throws this away");
	}
	if (!ctf_trace_is_there(&trace, NULL)) {
		return recovery_fail(result,
			"its trace '%.300s' is gone: if it was moved, recover it where it is now; "
			"else 'waymark recover --discard' throws this away",
			trace.directory);
	}
	return recover_trace(trace.directory, result);
}
