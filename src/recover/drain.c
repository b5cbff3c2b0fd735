/* SPDX-License-Identifier: MIT */
/*
 * Drains a jail's buffer, see recover/drain.h. While the process records, one scan of the buffer
 * can miss a packet and find the next one of its stream, so each round scans twice. The packets
 * that the first scan finds closed were closed in order, and the second scan finds all packets
 * before them.
 */
#include "recover/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "format/ctf_text.h"
#include "recover/jail_buffer.h"
#include "recover/recover.h"

/* Limit of a process's streams; larger ids are damage. */
#define STREAMS_MAX (UINT64_C(1) << 20)

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

/* Closes and unlocks the trace. */
static void close_trace(struct drain *d)
{
	d->events += d->files.events;
	stream_files_close(&d->files);
	d->files = (struct stream_files){ 0 };
	trace_metadata_fini(&d->metadata);
	buffer_source_close(d->source);
	d->source = NULL;
	if (d->directory >= 0) {
		close(d->directory);
		d->directory = -1;
	}
}

void drain_close(struct drain *d)
{
	close_trace(d);
	vec_fini(&d->closed);
	jail_buffer_close(&d->buffer);
}

static bool open_directory(struct drain *d)
{
	d->directory = open(d->directory_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->directory < 0) {
		return error_set(d->error, "cannot be opened: %s", strerror(errno));
	}
	if (flock(d->directory, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		return error_set(d->error, "another process works on it");
	}
	return true;
}

/*
 * Reads the metadata. The process wrote its text, so it may name another trace, whose memory would
 * be read then.
 */
static bool read_metadata(struct drain *d)
{
	const uint8_t *uuid = d->metadata.ctf.uuid;
	struct read_error error;

	if (!trace_metadata_read(&d->metadata, d->directory, &error)) {
		return error_set(d->error, "%s", error.text);
	}
	return memcmp(uuid, d->buffer.uuid, sizeof(d->buffer.uuid)) == 0 ||
	       error_set(d->error, "metadata: belongs to another trace");
}

static bool open_files(struct drain *d)
{
	struct stream_files *s = &d->files;
	int error;

	d->source = buffer_source_open_path(d->buffer.path, &error);
	if (!d->source) {
		return error_set(d->error, "%s: %s", d->buffer.path, strerror(error));
	}
	bool ok = stream_files_open(s, d->directory, &d->metadata);

	s->has_memory = true;
	s->held_count = buffer_source_scan(d->source, &s->held);
	ok = ok && stream_files_mend(s);
	s->held = NULL; /* the next scan frees it */
	s->held_count = 0;
	return ok || error_set(d->error, "%s", s->error);
}

/* Makes and opens the trace. Returns true with d->source NULL if nothing was recorded yet. */
static bool open_trace(struct drain *d, const char *place)
{
	if (d->source) {
		return true;
	}
	int error = jail_trace_make(&d->buffer, place, d->directory_name);

	if (error) {
		return error == EAGAIN ||
		       error_set(d->error, "cannot be made: %s", strerror(error));
	}
	trace_metadata_init(&d->metadata);
	if (open_directory(d) && read_metadata(d) && open_files(d)) {
		return true;
	}
	close_trace(d);
	return false;
}

/* Writes and reads the declarations that the process has added. */
static bool update_metadata(struct drain *d)
{
	bool changed;
	int error = jail_trace_append_metadata(&d->buffer, d->directory, &changed);

	if (error) {
		return error_set(d->error, "metadata: cannot be written: %s", strerror(error));
	}
	if (!changed || read_metadata(d)) {
		return true;
	}
	close_trace(d);
	return false;
}

static bool is_closed(const struct drain *d, const struct buffer_packet *p)
{
	return p->header.stream_instance_id < STREAMS_MAX &&
	       jail_buffer_is_closed(&d->buffer, p->offset);
}

/* Notes the last closed packet of each stream. Returns false if none is closed. */
static bool find_closed(struct drain *d)
{
	const struct buffer_packet *packets;
	size_t count = buffer_source_scan(d->source, &packets);
	bool found = false;

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
		found = true;
	}
	return found;
}

/* Writes packets up to the noted ones to the files, and frees their memory. */
static bool take_closed(struct drain *d, size_t *taken)
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
		if (!stream_files_append(&d->files, d->source, p)) {
			return error_set(d->error, "%s", d->files.error);
		}
		jail_buffer_free(&d->buffer, p->offset);
		++*taken;
	}
	return true;
}

/* Writes declarations before packets: packets that are closed now use no later ones. */
static bool drain_closed(struct drain *d, const char *place, size_t *taken)
{
	if (!open_trace(d, place)) {
		return false;
	}
	return !d->source || !find_closed(d) || (update_metadata(d) && take_closed(d, taken));
}

/* Marks the trace as complete: the process reported its end in the buffer. */
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

/* Writes the rest of a process that has ended: open packets, and the losses after them. */
static bool finish(struct drain *d, const char *place)
{
	struct recover_result result;

	if (!open_trace(d, place) || (d->source && !update_metadata(d))) {
		return false;
	}
	if (!d->source) {
		d->state = DRAIN_UNUSED; /* killed before it could record anything */
		return true;
	}
	close_trace(d);
	bool done = recover_trace_beside(d->directory_name, &result);

	d->events += result.events;
	if (!done) {
		return error_set(d->error, "%s", result.error);
	}
	d->lost = result.lost;
	if (d->buffer.file->jail.ended) {
		mark_finished(d);
	}
	d->state = DRAIN_DONE;
	return true;
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
		d->state = DRAIN_RECORDS;
		return drain_closed(d, place, taken);
	case BUFFER_OWNER_GONE:
		break;
	}
	d->state = DRAIN_LEFT;
	return drain_closed(d, place, taken) && finish(d, place);
}

bool drain_round(struct drain *d, const char *place, size_t *taken)
{
	*taken = 0;
	jail_buffer_beat(&d->buffer);
	bool ok = run_round(d, place, taken);

	if (jail_buffer_is_cut(&d->buffer)) {
		d->state = DRAIN_CUT;
		return error_set(d->error,
			"the memory of its process was cut, with what was in it; "
			"waymark recover --discard %s discards the rest",
			d->buffer.path);
	}
	return ok;
}

bool drain_release(struct drain *d)
{
	return jail_buffer_renew(&d->buffer) || unlink(d->buffer.path) == 0 || errno == ENOENT ||
	       error_set(d->error, "%s: cannot be removed: %s", d->buffer.path, strerror(errno));
}
