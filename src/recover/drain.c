/* SPDX-License-Identifier: MIT */
/*
 * See recover/drain.h. A look through the buffer may miss a packet and see the one behind it,
 * because the process goes on meanwhile. So there are two: what the first finds closed had
 * been closed in order, and the second finds all that came before.
 */
#include "recover/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/compiler.h"
#include "format/ctf_text.h"
#include "recover/jail_stage.h"
#include "recover/recover.h"

/* Of ids that a process could give out; others are damage. */
#define STREAMS_MAX (UINT64_C(1) << 20)

static bool PRINTF(2, 3) fail(struct drain *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(d->error, sizeof(d->error), fmt, ap);
	va_end(ap);
	return false;
}

int drain_open(struct drain *d, const char *path)
{
	*d = (struct drain){ .directory = -1 };
	int error = jail_buffer_open(&d->buffer, path);

	if (!error && !jail_buffer_lock(&d->buffer)) {
		error = EBUSY;
		jail_buffer_close(&d->buffer);
	}
	return error;
}

/* Leaves the trace to others. */
static void end_files(struct drain *d)
{
	if (d->source) {
		d->events += d->files.events;
		d->files.events = 0;
		stream_files_close(&d->files);
		layouts_fini(&d->layouts);
	}
	buffer_source_close(d->source);
	d->source = NULL;
	if (d->directory >= 0) {
		close(d->directory);
		d->directory = -1;
	}
}

void drain_close(struct drain *d)
{
	end_files(d);
	vec_fini(&d->closed);
	jail_buffer_close(&d->buffer);
}

static bool open_directory(struct drain *d)
{
	d->directory = open(d->directory_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->directory < 0) {
		return fail(d, "cannot be opened: %s", strerror(errno));
	}
	if (flock(d->directory, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		return fail(d, "another process works on it");
	}
	return true;
}

/* Its text is the process's own: it may tell of another trace, to get at that one's memory. */
static bool read_layouts(struct drain *d)
{
	bool ok = layouts_read(&d->layouts, d->directory) == LAYOUTS_OK;

	if (ok && memcmp(d->layouts.uuid, d->buffer.uuid, sizeof(d->buffer.uuid)) == 0) {
		return true;
	}
	layouts_fini(&d->layouts);
	d->layouts = (struct layouts){ 0 };
	return fail(d, ok ? "metadata: is of another trace" : "metadata: cannot be read");
}

static bool open_files(struct drain *d)
{
	int error;

	if (!read_layouts(d)) {
		return false;
	}
	d->source = buffer_source_open_path(d->buffer.path, &error);
	if (!d->source) {
		layouts_fini(&d->layouts);
		return fail(d, "%s: %s", d->buffer.path, strerror(error));
	}
	struct stream_files *s = &d->files;
	bool ok = stream_files_open(s, d->directory, &d->layouts);

	s->has_memory = true;
	s->held_count = buffer_source_scan(d->source, &s->held);
	ok = ok && stream_files_mend(s);
	s->held = NULL; /* until the next look */
	s->held_count = 0;
	return ok || fail(d, "%s", s->error);
}

/* Begins, or begins anew behind an error. */
static bool begin(struct drain *d, const char *place)
{
	if (d->source) {
		return true;
	}
	int error = jail_stage(&d->buffer, place, d->directory_name);

	if (error) {
		return error == EAGAIN || fail(d, "cannot be made: %s", strerror(error));
	}
	if (!open_directory(d) || !open_files(d)) {
		end_files(d);
		return false;
	}
	return true;
}

static bool update_text(struct drain *d)
{
	bool changed;
	int error = jail_stage_text(&d->buffer, d->directory, &changed);

	if (error) {
		return fail(d, "metadata: cannot be written: %s", strerror(error));
	}
	if (!changed) {
		return true;
	}
	layouts_fini(&d->layouts);
	if (read_layouts(d)) {
		return true;
	}
	end_files(d);
	return false;
}

static bool is_closed(const struct drain *d, const struct buffer_packet *p)
{
	return p->header.stream_instance_id < STREAMS_MAX &&
	       jail_buffer_is_closed(&d->buffer, p->offset);
}

/* Notes what is closed now; returns how much that is. */
static size_t look(struct drain *d)
{
	const struct buffer_packet *packets;
	size_t count = buffer_source_scan(d->source, &packets);
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t stream = packets[i].header.stream_instance_id;

		if (!is_closed(d, &packets[i])) {
			continue;
		}
		while (d->closed.count <= stream) {
			vec_push(&d->closed, 0);
		}
		uint64_t *last = &d->closed.items[stream];

		*last = packets[i].header.sequence > *last ? packets[i].header.sequence : *last;
		found++;
	}
	return found;
}

/* What was seen to be closed goes into the files, and its memory back. */
static bool take(struct drain *d, size_t *taken)
{
	const struct buffer_packet *packets;
	size_t count = buffer_source_scan(d->source, &packets);

	for (size_t i = 0; i < count; i++) {
		const struct buffer_packet *p = &packets[i];
		uint64_t stream = p->header.stream_instance_id;

		if (!is_closed(d, p) || stream >= d->closed.count ||
			p->header.sequence > d->closed.items[stream]) {
			continue;
		}
		if (!stream_files_fold(&d->files, d->source, p)) {
			return fail(d, "%s", d->files.error);
		}
		jail_buffer_free(&d->buffer, p->offset);
		++*taken;
	}
	return true;
}

static bool take_closed(struct drain *d, size_t *taken)
{
	return look(d) == 0 || (update_text(d) && take(d, taken));
}

bool drain_release(struct drain *d)
{
	return jail_buffer_renew(&d->buffer) || unlink(d->buffer.path) == 0 || errno == ENOENT ||
	       fail(d, "%s: cannot be removed: %s", d->buffer.path, strerror(errno));
}

/* The process said that it came to its end: so the trace has all. */
static void mark_finished(const struct drain *d)
{
	char path[BUFFER_FILE_PATH_BYTES + 16];
	const char digit = (char)('0' + CTF_FINISHED);

	snprintf(path, sizeof(path), "%s/%s", d->directory_name, CTF_METADATA);
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0) {
		pwrite(fd, &digit, 1, CTF_TEXT_ENDED_AT);
		close(fd);
	}
}

/* The rest, which is in open packets, and what was lost behind the last of them. */
static bool finish(struct drain *d, const char *place)
{
	struct recover_result result;

	if (!begin(d, place) || (d->source && !update_text(d))) {
		return false;
	}
	if (!d->source) {
		d->state = DRAIN_UNUSED; /* it was killed before it could record anything */
		return true;
	}
	end_files(d);
	bool done = recover_trace_beside(d->directory_name, &result);

	d->events += result.events;
	if (!done) {
		return fail(d, "%s", result.error);
	}
	d->lost = result.lost;
	if (d->buffer.file->jail.ended) {
		mark_finished(d);
	}
	d->state = DRAIN_DONE;
	return true;
}

static bool drain_living(struct drain *d, const char *place, size_t *taken)
{
	d->state = DRAIN_RECORDS;
	return begin(d, place) && (!d->source || take_closed(d, taken));
}

static bool run_round(struct drain *d, const char *place, size_t *taken)
{
	switch (jail_buffer_owner(&d->buffer)) {
	case BUFFER_OWNER_NONE:
		d->state = DRAIN_WAITS;
		return true;
	case BUFFER_OWNER_NEVER:
		d->state = DRAIN_UNUSED;
		return true;
	case BUFFER_OWNER_LIVES:
		return drain_living(d, place, taken);
	case BUFFER_OWNER_GONE:
		break;
	}
	if (drain_living(d, place, taken) && finish(d, place)) {
		return true;
	}
	d->state = DRAIN_LEFT;
	return false;
}

bool drain_round(struct drain *d, const char *place, size_t *taken)
{
	*taken = 0;
	jail_buffer_beat(&d->buffer);
	bool ok = run_round(d, place, taken);

	if (jail_buffer_is_cut(&d->buffer)) {
		d->state = DRAIN_CUT;
		return fail(d,
			"the memory of its process was cut, with what was in it; "
			"waymark recover --discard %s throws the rest away",
			d->buffer.path);
	}
	return ok;
}
