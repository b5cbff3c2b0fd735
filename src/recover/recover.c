/* SPDX-License-Identifier: MIT */
/*
 * The steps of a recovery, see recover/recover.h: lock the trace and the memory of its process,
 * mend the stream files, write the metadata, remove the memory, read the result.
 */
#include "recover/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "format/ctf.h"
#include "read/buffer.h"
#include "read/reader.h"
#include "recover/leftover.h"
#include "recover/stream_files.h"
#include "recover/trace_metadata.h"

/* Attempts to lock a trace that another recovery holds. */
#define TRIES 1000
#define TRY_NS (10 * 1000 * 1000)

struct recovery {
	const char *path;
	int directory; /* trace, locked */
	struct trace_metadata metadata;
	struct buffer_source *buffer; /* memory of the process; NULL: none */
	bool lacks_memory; /* memory is missing: the process did not finish the trace */
	struct stream_files files;
	const struct host_clock *host; /* sets the times; NULL: the trace's own clock */
	uint64_t host_error; /* ns */
	struct recover_result *result;
};

static void init(struct recovery *r, const char *path, struct recover_result *result)
{
	*result = (struct recover_result){ 0 };
	*r = (struct recovery){ .path = path, .directory = -1, .result = result };
	trace_metadata_init(&r->metadata);
}

static void fini(struct recovery *r)
{
	stream_files_close(&r->files);
	buffer_source_close(r->buffer);
	trace_metadata_fini(&r->metadata);
	if (r->directory >= 0) {
		close(r->directory);
	}
}

static bool read_metadata(struct recovery *r)
{
	struct read_error error;

	return trace_metadata_read(&r->metadata, r->directory, &error) ||
	       error_set(r->result->error, "%s", error.text);
}

static bool fail_busy(struct recovery *r)
{
	return error_set(
		r->result->error, "another process works on it; try again when it has ended");
}

static bool lock_trace(struct recovery *r)
{
	for (int i = 0; i < TRIES; i++) {
		if (flock(r->directory, LOCK_EX | LOCK_NB) == 0) {
			return true;
		}
		if (errno != EWOULDBLOCK && errno != EINTR) {
			/*
			 * On a file system without locks, assumes that no second process works
			 * here.
			 */
			return true;
		}
		nanosleep(&(struct timespec){ .tv_nsec = TRY_NS }, NULL);
	}
	return fail_busy(r);
}

/* Reports the folder if the path is a file inside a trace, as readers do. */
static bool explain_file(struct recovery *r)
{
	const struct reader_options options = { 0 };
	struct read_error why;
	struct reader *reader = reader_open(r->path, &options, &why);
	bool is_of_trace = !reader && why.depth > 0;

	reader_close(reader);
	return error_set(r->result->error, "%s",
		is_of_trace ? why.text : "is not a trace: it is not a directory");
}

static bool open_trace(struct recovery *r)
{
	r->directory = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->directory >= 0) {
		return lock_trace(r) && read_metadata(r);
	}
	int error = errno;

	if (error == ENOENT &&
		leftover_explain(r->path, r->result->error, sizeof(r->result->error))) {
		return false;
	}
	return error == ENOTDIR
		       ? explain_file(r)
		       : error_set(r->result->error, "cannot be opened: %s", strerror(error));
}

/* Locks the memory. Returns true with buffer NULL if it was moved or removed meanwhile. */
static bool lock_buffer(struct recovery *r)
{
	int error = buffer_source_lock_patiently(r->buffer);

	if (error == EBUSY) {
		return fail_busy(r);
	}
	if (error == EWOULDBLOCK) {
		return error_set(r->result->error,
			"is still being recorded by process %" PRIu32 "; end that first",
			buffer_source_header(r->buffer)->pid);
	}
	if (error == ENOENT) {
		buffer_source_close(r->buffer);
		r->buffer = NULL;
		return true;
	}
	return !error || error_set(r->result->error, "%s: cannot be locked: %s",
				 buffer_source_path(r->buffer), strerror(error));
}

/* Finds and locks the memory of the process, or sets lacks_memory. */
static bool open_buffer(struct recovery *r)
{
	const struct ctf_metadata *md = &r->metadata.ctf;
	char text[400];
	int error;

	/* Repeats if it was moved before it was locked: it is in the trace then. */
	while ((r->buffer = buffer_source_open(r->path, md->uuid, &error))) {
		if (!lock_buffer(r)) {
			return false;
		}
		if (r->buffer) {
			return true;
		}
	}
	if (error != ENOENT) {
		buffer_source_explain(text, sizeof(text), md->uuid, error);
		return error_set(r->result->error, "%s%s", text,
			error == EBADMSG ? ": remove it to go on" : "");
	}
	if (md->ended == CTF_UNFINISHED) {
		/* The process may have finished it meanwhile. */
		trace_metadata_fini(&r->metadata);
		trace_metadata_init(&r->metadata);
		if (!read_metadata(r)) {
			return false;
		}
	}
	r->lacks_memory = md->ended == CTF_UNFINISHED;
	return true;
}

static bool append_memory(struct recovery *r)
{
	struct buffer_clock first;
	struct buffer_clock now;
	uint64_t streams = buffer_source_streams(r->buffer);

	for (size_t i = 0; i < r->files.held_count; i++) {
		if (!stream_files_append(&r->files, r->buffer, &r->files.held[i])) {
			return false;
		}
	}
	buffer_source_clock(r->buffer, &first, &now);
	for (uint64_t stream = 1; stream <= streams; stream++) {
		struct buffer_counts counts = buffer_source_counts(r->buffer, stream);

		if (!stream_files_mark_lost(
			    &r->files, stream, counts.lost + counts.evicted, &now)) {
			return false;
		}
	}
	return true;
}

/* Marks the packets that are neither in a file nor in memory. */
static bool mark_missing(struct stream_files *s, struct recover_result *result)
{
	ctf_index_find_left(&s->losses, s->held, s->held_count);
	vec_foreach (const struct ctf_index_lost *, lost, &s->losses.all) {
		if (lost->sequences.count == 0) {
			continue;
		}
		if (!stream_files_mark_missing(s, lost)) {
			return false;
		}
		if (result->missing == 0) {
			ctf_index_word(lost, result->fault, sizeof(result->fault));
		}
		result->missing += lost->sequences.count;
		result->changed = true;
	}
	return true;
}

static void note_torn(struct recover_result *result, const struct stream_file *f)
{
	const struct torn_packet *t = &f->torn;
	char what[80] = "its events are lost";

	if (result->missing++ > 0) {
		return;
	}
	if (t->missing) {
		snprintf(what, sizeof(what), "the events in its last %" PRIu64 " bytes are lost",
			t->missing);
	}
	snprintf(result->fault, sizeof(result->fault),
		"%s: packet %" PRIu64 " at byte %" PRIu64 " is cut: %s", f->name, t->sequence,
		t->offset, what);
}

/* Marks the parts of packets that are cut off at the ends of files, and that memory lacks. */
static bool mark_torn(struct stream_files *s, struct recover_result *result)
{
	vec_foreach (const struct stream_file *, f, &s->all) {
		if (f->torn.sequence == 0) {
			continue;
		}
		if (!stream_files_mark_torn(s, f)) {
			return false;
		}
		note_torn(result, f);
		result->changed = true;
	}
	return true;
}

static bool mend_streams(struct recovery *r)
{
	struct stream_files *s = &r->files;
	bool ok = stream_files_open(s, r->directory, &r->metadata);

	if (ok && r->buffer) {
		s->has_memory = true;
		s->held_count = buffer_source_scan(r->buffer, &s->held);
	}
	ok = ok && stream_files_mend(s) && (!r->buffer || append_memory(r)) &&
	     mark_missing(s, r->result) && mark_torn(s, r->result) &&
	     stream_files_finish(s, &r->result->changed);
	return ok || error_set(r->result->error, "%s", s->error);
}

/* True if the times can be set by the host's clock, or are not to be. */
static bool fits_host(struct recovery *r)
{
	const struct ctf_metadata *md = &r->metadata.ctf;

	if (!r->host) {
		return true;
	}
	if (!md->begin.realtime_ns || (!r->buffer && !md->end.realtime_ns)) {
		return error_set(r->result->error,
			"was converted: set the clock of the trace that its program wrote");
	}
	return strcmp(md->boot_id, r->host->boot_id) == 0 ||
	       error_set(r->result->error,
		       "was recorded in another boot than the clock was measured in");
}

/* Returns the error at the end that comes from a rate of whole ticks a second. */
static uint64_t rounding_of(const struct buffer_clock *begin, const struct buffer_clock *last)
{
	struct ctf_clock clock;
	struct buffer_clock first = { begin->ticks, begin->realtime_ns, begin->realtime_ns };
	struct buffer_clock now = { last->ticks, last->realtime_ns, last->realtime_ns };

	if (!ctf_clock_from(&clock, &first, &now)) {
		return 0;
	}
	uint64_t span = ctf_clock_span(&clock, now.ticks - first.ticks);
	uint64_t real = now.realtime_ns - first.realtime_ns;

	return span > real ? span - real : real - span;
}

/* Replaces the real times of the clock readings by the host's. */
static void set_by_host(struct recovery *r, struct trace_end *end)
{
	const struct ctf_metadata *md = &r->metadata.ctf;
	uint64_t at_end;

	if (!r->buffer) {
		end->begin = md->begin;
		end->last = md->end;
	}
	end->begin.realtime_ns = host_clock_at(r->host, end->begin.monotonic_ns, &r->host_error);
	end->last.realtime_ns = host_clock_at(r->host, end->last.monotonic_ns, &at_end);
	r->host_error = at_end > r->host_error ? at_end : r->host_error;
	r->host_error += rounding_of(&end->begin, &end->last);
	end->host = r->host->host;
	end->host_error = r->host_error;
}

static bool mend_metadata(struct recovery *r)
{
	const struct ctf_metadata *md = &r->metadata.ctf;
	struct trace_end end = { .ended = md->ended };

	if (r->buffer) {
		buffer_source_clock(r->buffer, &end.begin, &end.last);
		end.begin = md->begin.realtime_ns ? md->begin : end.begin;
		/* The memory has just made the trace complete. */
		end.ended = end.ended == CTF_UNFINISHED ? CTF_RECOVERED : end.ended;
	}
	if (r->host) {
		set_by_host(r, &end);
	} else if (*md->clock_host) {
		end.begin = end.last = (struct buffer_clock){ 0 }; /* that clock stays */
	}
	int error = trace_metadata_write(&r->metadata, r->directory, &end, &r->result->changed);

	if (error) {
		return error_set(
			r->result->error, "metadata: cannot be written: %s", strerror(error));
	}
	/* The process may have been killed while writing a new file. */
	r->result->changed |= unlinkat(r->directory, CTF_METADATA_NEW, 0) == 0;
	return true;
}

static bool sync_trace(struct recovery *r)
{
	return !r->result->changed || fsync(r->directory) == 0 || errno == EINVAL ||
	       error_set(r->result->error, "cannot be written: %s", strerror(errno));
}

/* True for a copied trace whose original exists: the memory belongs to that one. */
static bool is_copy(const struct recovery *r)
{
	struct stat original;
	struct stat mine;

	return !buffer_source_is_in_trace(r->buffer) &&
	       ctf_trace_is_there(buffer_source_trace(r->buffer), &original) &&
	       fstat(r->directory, &mine) == 0 &&
	       (mine.st_dev != original.st_dev || mine.st_ino != original.st_ino);
}

/*
 * Removes the second copy of the memory, in the trace. The process was killed after copying the
 * memory there and before removing the first file, which is removed last here, too.
 */
static bool remove_moved(struct recovery *r)
{
	struct buffer_file moved = { 0 };
	int fd = openat(
		r->directory, BUFFER_FILE_IN_TRACE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0) {
		return true;
	}
	bool same = read(fd, &moved, sizeof(moved)) == (ssize_t)sizeof(moved) &&
		    memcmp(&moved, buffer_source_header(r->buffer), sizeof(moved)) == 0;

	close(fd);
	return !same || unlinkat(r->directory, BUFFER_FILE_IN_TRACE, 0) == 0 ||
	       error_set(r->result->error, BUFFER_FILE_IN_TRACE ": cannot be removed: %s",
		       strerror(errno));
}

/* Removes the memory. Call when all of it is in the trace, and the trace is on the disk. */
static bool remove_buffer(struct recovery *r)
{
	/* The process may have been killed while moving the memory here. */
	r->result->changed |= unlinkat(r->directory, BUFFER_FILE_MOVING, 0) == 0;
	if (!r->buffer) {
		return true;
	}
	if (is_copy(r)) {
		snprintf(r->result->kept_for, sizeof(r->result->kept_for), "%.299s",
			buffer_source_trace(r->buffer)->directory);
		buffer_source_close(r->buffer);
		r->buffer = NULL;
		return true;
	}
	r->result->changed = true;
	if (!buffer_source_is_in_trace(r->buffer) && !remove_moved(r)) {
		return false;
	}
	return unlink(buffer_source_path(r->buffer)) == 0 || errno == ENOENT ||
	       error_set(r->result->error, "%s: cannot be removed: %s",
		       buffer_source_path(r->buffer), strerror(errno));
}

static void add_fault(struct recover_result *result, const char *what)
{
	result->faults++;
	if (!result->fault[0]) {
		snprintf(result->fault, sizeof(result->fault), "%s", what);
	}
}

/* Reads the whole trace: recovery did not change its packets, and any of them may be damaged. */
static void check_trace(struct recovery *r)
{
	const struct reader_options options = { 0 };
	enum read_result got = READ_DAMAGED;
	struct read_error error;
	struct record rec;
	struct reader *reader = reader_open(r->path, &options, &error);

	do {
		got = reader ? reader_next(reader, &rec) : READ_DAMAGED;
		if (got == READ_PROBLEM || got == READ_DAMAGED) {
			add_fault(r->result, reader ? reader->error.text : error.text);
		}
	} while (got == READ_RECORD || got == READ_PROBLEM);
	reader_close(reader);
}

/* Recovers the trace of an initialised recovery, and ends it. */
static bool recover(struct recovery *r, bool keeps_buffer)
{
	struct recover_result *result = r->result;
	bool ok = open_trace(r) && open_buffer(r) && fits_host(r) && mend_streams(r) &&
		  mend_metadata(r) && sync_trace(r) && (keeps_buffer || remove_buffer(r));

	result->events = r->files.events;
	result->cut = r->files.cut;
	stream_files_count(&r->files, &result->streams, &result->lost);
	if (ok && r->lacks_memory) {
		add_fault(result, READ_UNFINISHED);
	}
	if (ok) {
		check_trace(r);
	}
	fini(r);
	return ok;
}

bool recover_trace(const char *path, struct recover_result *result)
{
	struct recovery r;

	init(&r, path, result);
	return recover(&r, false);
}

bool recover_by_host(const char *path, const struct host_clock *host, uint64_t *error_ns,
	struct recover_result *result)
{
	struct recovery r;

	init(&r, path, result);
	r.host = host;
	bool ok = recover(&r, false);

	*error_ns = r.host_error;
	return ok;
}

bool recover_trace_beside(const char *path, struct recover_result *result)
{
	struct recovery r;

	init(&r, path, result);
	return recover(&r, true);
}

bool recover_buffer(const char *path, struct recover_result *result)
{
	struct recovery r;
	int error;

	init(&r, path, result);
	struct buffer_source *buffer = buffer_source_open_path(path, &error);

	if (!buffer) {
		return error_set(r.result->error, "is not a buffer: %s", strerror(error));
	}
	const struct buffer_trace trace = *buffer_source_trace(buffer);

	buffer_source_close(buffer);
	if (!trace.directory[0]) {
		return error_set(r.result->error,
			"its process could not make its trace, which would declare the events in "
			"it: 'waymark recover --discard' discards this");
	}
	if (!ctf_trace_is_there(&trace, NULL)) {
		return error_set(r.result->error,
			"its trace '%.300s' is gone: if it was moved, recover it where it is now; "
			"else 'waymark recover --discard' discards this",
			trace.directory);
	}
	return recover_trace(trace.directory, result);
}

/*
 * Removes a file with a buffer's name that is no buffer. If it has no lock, no process uses it.
 * Returns false for another type of file, which is kept.
 */
static bool discard_damaged(struct recovery *r)
{
	const char *slash = strrchr(r->path, '/');
	int fd = open(r->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bool is_buffer = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
			 st.st_uid == geteuid() &&
			 buffer_source_is_name(slash ? slash + 1 : r->path);
	bool is_locked = is_buffer && flock(fd, LOCK_EX | LOCK_NB) == 0;

	r->result->changed = is_locked && unlink(r->path) == 0;
	if (is_buffer && !r->result->changed) {
		error_set(r->result->error, "is damaged, and cannot be removed: %s",
			is_locked ? strerror(errno) : "a process has it open");
	}
	if (fd >= 0) {
		close(fd);
	}
	return is_buffer;
}

/* Finds the memory of the trace in the folder, even if either is damaged. */
static bool find_in_trace(struct recovery *r)
{
	char text[400];
	int error;

	r->directory = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->directory < 0) {
		return error_set(r->result->error, "cannot be opened: %s", strerror(errno));
	}
	if (!read_metadata(r)) {
		return false;
	}
	r->buffer = buffer_source_open(r->path, r->metadata.ctf.uuid, &error);
	if (r->buffer || error == ENOENT) {
		return true;
	}
	buffer_source_explain(text, sizeof(text), r->metadata.ctf.uuid, error);
	return error_set(r->result->error, "%s: remove that file", text);
}

static bool find_discarded(struct recovery *r)
{
	struct stat st;
	int error;

	if (stat(r->path, &st) == 0 && S_ISDIR(st.st_mode)) {
		return find_in_trace(r);
	}
	r->buffer = buffer_source_open_path(r->path, &error);
	if (!r->buffer && error == EBADMSG && discard_damaged(r)) {
		return !r->result->error[0];
	}
	return r->buffer ||
	       error_set(r->result->error, "is neither a trace nor a buffer file%s%s",
		       error == EBADMSG ? "" : ": ", error == EBADMSG ? "" : strerror(error));
}

bool recover_discard(const char *path, struct recover_result *result)
{
	struct recovery r;

	init(&r, path, result);
	bool ok = find_discarded(&r) && (!r.buffer || lock_buffer(&r));

	if (ok && r.buffer) {
		result->changed = true;
		ok = unlink(buffer_source_path(r.buffer)) == 0 ||
		     error_set(r.result->error, "cannot be removed: %s", strerror(errno));
	}
	fini(&r);
	return ok;
}
