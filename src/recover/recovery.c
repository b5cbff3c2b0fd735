/* SPDX-License-Identifier: MIT */
/* A recovery's trace and memory: opened, locked, closed; see recover/recovery.h. */
#include "recover/recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "format/ctf.h"
#include "read/reader.h"
#include "recover/leftover.h"

/* Another recovery takes its time. */
#define TRIES 1000
#define TRY_NS (10 * 1000 * 1000)

bool recovery_fail(struct recover_result *r, const char *fmt, ...)
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

static bool fail_busy(struct recovery *r)
{
	return recovery_fail(r->result, "another process works on it; try again when it has ended");
}

static bool lock_trace(struct recovery *r)
{
	for (int i = 0; i < TRIES; i++) {
		if (flock(r->directory, LOCK_EX | LOCK_NB) == 0) {
			return true;
		}
		if (errno != EWOULDBLOCK && errno != EINTR) {
			/* A file system without locks has no second process here either. */
			return true;
		}
		pause_a_little();
	}
	return fail_busy(r);
}

bool recovery_lock_buffer(struct recovery *r)
{
	int error = buffer_source_lock_patiently(r->buffer);

	if (error == EBUSY) {
		return fail_busy(r);
	}
	if (error == EWOULDBLOCK) {
		return recovery_fail(r->result,
			"is still being recorded by process %" PRIu32 "; end that first",
			buffer_source_header(r->buffer)->pid);
	}
	if (error == ENOENT) { /* moved or thrown away meanwhile */
		buffer_source_close(r->buffer);
		r->buffer = NULL;
		return true;
	}
	return !error || recovery_fail(r->result, "%s: cannot be locked: %s",
				 buffer_source_path(r->buffer), strerror(error));
}

bool recovery_read_metadata(struct recovery *r)
{
	switch (layouts_read(&r->layouts, r->directory)) {
	case LAYOUTS_OK:
		return true;
	case LAYOUTS_CUT:
		return recovery_fail(
			r->result, "metadata: is cut before the first event: nothing can be read");
	case LAYOUTS_FOREIGN:
		return recovery_fail(r->result,
			"is of a host with the other byte order: recover it on one like that");
	case LAYOUTS_UNREADABLE:
		return recovery_fail(r->result, "metadata: cannot be read: %s", strerror(errno));
	default:
		return recovery_fail(
			r->result, "is not a trace of Waymark: it has no such metadata");
	}
}

/* There is none where all is written, which the process may have come to meanwhile. */
static bool miss_buffer(struct recovery *r)
{
	if (layouts_ended(&r->layouts) == CTF_UNFINISHED) {
		layouts_fini(&r->layouts);
		if (!recovery_read_metadata(r)) {
			return false;
		}
	}
	r->lacks_memory = layouts_ended(&r->layouts) == CTF_UNFINISHED;
	return true;
}

bool recovery_open_buffer(struct recovery *r)
{
	int error;

	/* Again where it was moved before we had the lock: now it is in the trace. */
	while ((r->buffer = buffer_source_open(r->path, r->layouts.uuid, &error))) {
		if (!recovery_lock_buffer(r)) {
			return false;
		}
		if (r->buffer) {
			return true;
		}
	}
	if (error == ENOENT) {
		return miss_buffer(r);
	}
	char text[400];

	buffer_source_explain(text, sizeof(text), r->layouts.uuid, error);
	return recovery_fail(
		r->result, "%s%s", text, error == EBADMSG ? ": remove it to go on" : "");
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
		return recovery_fail(result, "%s", why.text);
	}
	return recovery_fail(result,
		error == ENOTDIR ? "is not a trace: it is no directory" : "cannot be opened: %s",
		strerror(error));
}

bool recovery_begin(struct recovery *r, const char *path, struct recover_result *result)
{
	*result = (struct recover_result){ 0 };
	*r = (struct recovery){ .path = path, .result = result };
	r->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return r->directory < 0 ? cannot_open(r, errno)
				: lock_trace(r) && recovery_read_metadata(r);
}

void recovery_end(struct recovery *r)
{
	stream_files_close(&r->files);
	buffer_source_close(r->buffer);
	layouts_fini(&r->layouts);
	if (r->directory >= 0) {
		close(r->directory);
	}
}
