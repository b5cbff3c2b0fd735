/* SPDX-License-Identifier: MIT */
/*
 * Mends stream files, see recover/stream_files.h. Each change can be interrupted: the file of a
 * torn packet is truncated before the packet's header is changed, so that the next recovery finds
 * the same packet again and has the same result.
 */
#include "recover/stream_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ctf_files.h"
#include "output/file.h"

static bool fail(struct stream_files *s, const char *name, const char *what, int error)
{
	snprintf(s->error, sizeof(s->error), "%s: %s: %s", name, what, strerror(error));
	return false;
}

/* Reports an error at the end of the packets so far; the reason is in errno, if there is one. */
static bool fail_at_end(struct stream_files *s, const struct stream_file *f, const char *what)
{
	snprintf(s->error, sizeof(s->error), "%s: %s at byte %" PRIu64 "%s%s", f->name, what,
		f->file.end, errno ? ": " : "", errno ? strerror(errno) : "");
	return false;
}

static int by_stream_and_piece(const void *va, const void *vb)
{
	const struct stream_file *a = va;
	const struct stream_file *b = vb;

	if (a->stream != b->stream) {
		return a->stream < b->stream ? -1 : 1;
	}
	return (a->piece > b->piece) - (a->piece < b->piece);
}

static void sort(struct stream_files *s)
{
	if (s->all.count > 1) {
		qsort(s->all.items, s->all.count, sizeof(*s->all.items), by_stream_and_piece);
	}
}

bool stream_files_open(struct stream_files *s, int directory, const struct trace_metadata *metadata)
{
	*s = (struct stream_files){ .directory = directory, .metadata = metadata };
	s->packet = xcalloc(1, PACKET_FILE_BYTES_MAX);
	ctf_index_find(&s->losses, directory, false);
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		return fail(s, ".", "cannot be listed", errno);
	}
	for (struct dirent *e; (e = readdir(d));) {
		struct stream_file f = { .file.fd = -1 };

		if (strlen(e->d_name) < sizeof(f.name) &&
			ctf_file_is_stream(e->d_name, &f.stream, &f.piece)) {
			strcpy(f.name, e->d_name);
			vec_push(&s->all, f);
		}
	}
	closedir(d);
	sort(s);
	return true;
}

void stream_files_close(struct stream_files *s)
{
	vec_foreach (struct stream_file *, f, &s->all) {
		packet_file_close(&f->file);
	}
	vec_fini(&s->all);
	ctf_index_fini(&s->losses);
	free(s->packet);
}

/* Opens a file, also if it is read-only: that is enough unless it must be changed. */
static bool open_file(struct stream_files *s, struct stream_file *f)
{
	int flags = O_CLOEXEC | O_NOFOLLOW;

	f->file.fd = openat(s->directory, f->name, flags | O_RDWR);
	f->denied = 0;
	if (f->file.fd < 0 && (errno == EACCES || errno == EROFS)) {
		f->denied = errno;
		f->file.fd = openat(s->directory, f->name, flags | O_RDONLY);
	}
	return f->file.fd >= 0 || fail(s, f->name, "cannot be opened", errno);
}

/* Closes each file after use, as a trace can have more files than a process may open. */
static bool close_file(struct stream_files *s, struct stream_file *f, bool ok)
{
	int fd = f->file.fd;

	f->file.fd = -1;
	return (fd < 0 || close(fd) == 0 || fail(s, f->name, "cannot be written", errno)) && ok;
}

static bool may_write(struct stream_files *s, const struct stream_file *f)
{
	errno = f->denied;
	return f->denied == 0 || fail_at_end(s, f, "cannot be written");
}

static bool read_at(int fd, void *buffer, size_t n, uint64_t offset)
{
	ssize_t got;

	do {
		got = pread(fd, buffer, n, (off_t)offset);
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)n;
}

/* True for the header of a packet of this stream; the packet's end may be missing. */
static bool is_header(
	const struct stream_files *s, const struct stream_file *f, const struct packet_header *h)
{
	return h->magic == PACKET_MAGIC &&
	       memcmp(h->uuid, s->metadata->ctf.uuid, sizeof(h->uuid)) == 0 && h->stream_id == 0 &&
	       h->stream_instance_id == f->stream && h->sequence > f->last.sequence &&
	       h->packet_size % 8 == 0 && h->content_size % 8 == 0 &&
	       h->content_size / 8 >= sizeof(*h) && h->content_size <= h->packet_size &&
	       h->packet_size / 8 <= PACKET_FILE_BYTES_MAX;
}

static bool is_open(const struct packet_header *h)
{
	return h->timestamp_end == PACKET_OPEN || h->timestamp_end < h->timestamp_begin;
}

/* Searches `n` bytes of s->packet for the header of a packet of this stream. */
static bool has_header(const struct stream_files *s, const struct stream_file *f, size_t n)
{
	const uint8_t *uuid = s->metadata->ctf.uuid;
	const size_t uuid_at = offsetof(struct packet_header, uuid);
	const unsigned char *end = s->packet + n;
	const unsigned char *p = s->packet + uuid_at;
	struct packet_header h;

	while (p < end && (p = memmem(p, (size_t)(end - p), uuid, sizeof(h.uuid)))) {
		if ((size_t)(end - p) < sizeof(h) - uuid_at) {
			return false;
		}
		memcpy(&h, p - uuid_at, sizeof(h));
		if (is_header(s, f, &h)) {
			return true;
		}
		p++;
	}
	return false;
}

/* True if whole packets follow the damage at the end of the packets so far. */
static bool goes_on(const struct stream_files *s, const struct stream_file *f, uint64_t size)
{
	const uint64_t step = PACKET_BYTES_MAX - sizeof(struct packet_header);

	for (uint64_t at = f->file.end + 1; at < size; at += step) {
		size_t n = (size_t)(size - at < PACKET_BYTES_MAX ? size - at : PACKET_BYTES_MAX);

		if (!read_at(f->file.fd, s->packet, n, at) || has_header(s, f, n)) {
			return true;
		}
	}
	return false;
}

/* Removes everything after the last packet: `lost` bytes that exist nowhere else. */
static bool cut(struct stream_files *s, struct stream_file *f, uint64_t lost, uint64_t *size)
{
	if (goes_on(s, f, *size)) {
		errno = 0;
		return fail_at_end(s, f, "is damaged before intact packets,");
	}
	if (!may_write(s, f)) {
		return false;
	}
	if (ftruncate(f->file.fd, (off_t)f->file.end) != 0) {
		return fail_at_end(s, f, "cannot be cut");
	}
	*size = f->file.end;
	s->cut += lost;
	f->changed = true;
	return true;
}

/* Reduces the header to the whole events of a packet of which `there` bytes exist. */
static void shorten(struct stream_files *s, struct stream_file *f, struct packet_header *h,
	uint64_t there, const struct packet_walk *w)
{
	uint64_t content = h->content_size / 8;

	/* If only padding was cut off, including padding after an event, no event is lost. */
	if (content >= w->content + PACKET_EVENT_ALIGN) {
		s->cut += (there < content ? there : content) - w->content;
		f->torn = (struct torn_packet){
			.sequence = h->sequence,
			.offset = f->file.end,
			.missing = content - w->content,
			.end = is_open(h) ? 0 : h->timestamp_end,
		};
		h->content_size = 8 * (uint64_t)w->content;
		h->timestamp_end = w->last;
	}
	h->packet_size = 8 * (uint64_t)packet_padded((size_t)(h->content_size / 8));
}

/* Closes the packet at the end of the packets so far, of which `there` bytes exist. */
static bool close_packet(
	struct stream_files *s, struct stream_file *f, struct packet_header *h, uint64_t there)
{
	uint64_t packet = h->packet_size / 8;
	size_t n = (size_t)(there < packet ? there : packet);

	if (!may_write(s, f)) {
		return false;
	}
	if (!read_at(f->file.fd, s->packet, n, f->file.end)) {
		return fail_at_end(s, f, "cannot be read");
	}
	struct packet_walk w = packet_walk(s->metadata, s->packet, n);

	if (n < packet) {
		shorten(s, f, h, n, &w);
		if (ftruncate(f->file.fd, (off_t)(f->file.end + h->packet_size / 8)) != 0) {
			return fail_at_end(s, f, "cannot be cut");
		}
	}
	if (is_open(h)) {
		h->timestamp_end = w.last;
	}
	errno = packet_write_all(f->file.fd, h, sizeof(*h), f->file.end);
	if (errno) {
		return fail_at_end(s, f, "cannot be written");
	}
	f->changed = true;
	return true;
}

/* True if the buffer has at least as much of the packet. */
static bool is_held(const struct stream_files *s, const struct packet_header *h)
{
	for (size_t i = 0; i < s->held_count; i++) {
		const struct packet_header *held = &s->held[i].header;

		if (held->stream_instance_id == h->stream_instance_id &&
			held->sequence == h->sequence) {
			return held->content_size >= h->content_size;
		}
	}
	return false;
}

/*
 * Notes a packet whose header is incomplete in the file. Not called if the memory exists: it keeps
 * a packet's events until the file has the whole packet, and the counts of packets without events.
 */
static void note_torn_header(struct stream_files *s, struct stream_file *f, uint64_t there)
{
	const uint32_t magic = PACKET_MAGIC;
	size_t n = there < sizeof(magic) ? (size_t)there : sizeof(magic);

	if (read_at(f->file.fd, s->packet, n, f->file.end) && memcmp(s->packet, &magic, n) == 0) {
		f->torn = (struct torn_packet){ .sequence = f->last.sequence + 1,
			.offset = f->file.end };
	}
}

/*
 * Mends the packet at the end of the packets so far; removes bytes that are no packet from there
 * on.
 */
static bool mend_packet(struct stream_files *s, struct stream_file *f, uint64_t *size)
{
	uint64_t there = *size - f->file.end;
	struct packet_header h;
	bool whole = there >= sizeof(h) && read_at(f->file.fd, &h, sizeof(h), f->file.end);

	if (!whole) {
		if (!s->has_memory) {
			note_torn_header(s, f, there);
		}
		return cut(s, f, s->has_memory ? 0 : there, size);
	}
	if (!is_header(s, f, &h)) {
		/* A complete header that is not of this trace is no interrupted write. */
		if (h.magic == PACKET_MAGIC ||
			memcmp(h.uuid, s->metadata->ctf.uuid, sizeof(h.uuid)) == 0) {
			errno = 0;
			return fail_at_end(
				s, f, "is damaged, or of another trace: nothing is cut,");
		}
		return cut(s, f, there, size);
	}
	bool torn = h.packet_size / 8 > there;

	if (torn && is_held(s, &h)) {
		return cut(s, f, 0, size);
	}
	if ((torn || is_open(&h)) && !close_packet(s, f, &h, there)) {
		return false;
	}
	f->last = h;
	packet_file_note(&f->file, &h);
	if (torn) {
		*size = f->file.end;
	}
	return true;
}

static bool mend_file(struct stream_files *s, struct stream_file *f)
{
	struct stat st;

	if (fstat(f->file.fd, &st) != 0) {
		return fail_at_end(s, f, "cannot be read");
	}
	for (uint64_t size = (uint64_t)st.st_size; f->file.end < size;) {
		if (!mend_packet(s, f, &size)) {
			return false;
		}
	}
	return true;
}

bool stream_files_mend(struct stream_files *s)
{
	vec_foreach (struct stream_file *, f, &s->all) {
		if (!open_file(s, f) || !close_file(s, f, mend_file(s, f))) {
			return false;
		}
	}
	return true;
}

/* Returns the last packet of a stream, in any of its files; all zero if there is none. */
static struct packet_header last_packet(const struct stream_files *s, uint64_t stream)
{
	struct packet_header last = { 0 };

	vec_foreach (const struct stream_file *, f, &s->all) {
		if (f->stream == stream && f->last.sequence > 0) {
			last = f->last;
		}
	}
	return last;
}

/* Returns the file to which a stream's packets are appended: its last one. NULL if it has none. */
static struct stream_file *last_file(struct stream_files *s, uint64_t stream)
{
	struct stream_file *found = NULL;

	vec_foreach (struct stream_file *, f, &s->all) {
		found = f->stream == stream ? f : found;
	}
	return found;
}

static struct stream_file *add_file(struct stream_files *s, uint64_t stream)
{
	struct stream_file f = { .stream = stream };

	vec_foreach (const struct stream_file *, other, &s->all) {
		f.piece = other->piece > f.piece ? other->piece : f.piece;
	}
	int n = snprintf(f.name, sizeof(f.name), CTF_STREAM "%" PRIu64, stream);

	if (f.piece > 0) {
		snprintf(f.name + n, sizeof(f.name) - (size_t)n, "-%" PRIu64, f.piece);
	}
	int error = packet_file_open(&f.file, s->directory, f.name, O_RDWR | O_CREAT | O_EXCL);

	if (error) {
		fail(s, f.name, "cannot be made", error);
		return NULL;
	}
	output_file_match_metadata(f.file.fd, s->directory);
	close(f.file.fd);
	f.file.fd = -1;
	vec_push(&s->all, f);
	sort(s);
	return last_file(s, stream);
}

/* Appends s->packet; sets the timestamp_end of an open packet to `end`. */
static bool append(struct stream_files *s, uint64_t stream, uint64_t end)
{
	struct stream_file *f = last_file(s, stream);

	f = f ? f : add_file(s, stream);
	if (!f || !open_file(s, f)) {
		return false;
	}
	int error = f->denied ? f->denied : packet_file_append(&f->file, s->packet, end);

	if (error) {
		fail(s, f->name, "cannot be written", error);
	} else {
		memcpy(&f->last, s->packet, sizeof(f->last));
		f->changed = true;
	}
	return close_file(s, f, !error);
}

bool stream_files_append(
	struct stream_files *s, struct buffer_source *buffer, const struct buffer_packet *p)
{
	struct packet_header *h = (struct packet_header *)(void *)s->packet;
	const struct packet_header last = last_packet(s, p->header.stream_instance_id);

	if (p->header.sequence <= last.sequence || !buffer_source_copy(buffer, p, s->packet)) {
		return true;
	}
	struct packet_walk w = packet_walk(s->metadata, s->packet, p->content_bytes);
	size_t rest = p->content_bytes - w.content;

	s->cut += rest > PACKET_EVENT_ALIGN ? rest : 0;
	h->content_size = 8 * (uint64_t)w.content;
	if (h->timestamp_end < w.last) {
		h->timestamp_end = w.last;
	}
	if (h->events_discarded < last.events_discarded) {
		h->events_discarded = last.events_discarded;
	}
	if (!append(s, h->stream_instance_id, w.last)) {
		return false;
	}
	s->events += w.events;
	return true;
}

/* Appends a packet without events after `h`, with a time of at least `ticks`. */
static bool append_empty(
	struct stream_files *s, uint64_t stream, struct packet_header h, uint64_t ticks)
{
	uint64_t at = ticks > h.timestamp_end ? ticks : h.timestamp_end;

	h.magic = PACKET_MAGIC;
	memcpy(h.uuid, s->metadata->ctf.uuid, sizeof(h.uuid));
	h.stream_instance_id = stream;
	h.timestamp_begin = h.timestamp_end = at;
	h.content_size = 8 * sizeof(h);
	h.sequence++;
	memcpy(s->packet, &h, sizeof(h));
	return append(s, stream, at);
}

bool stream_files_mark_lost(
	struct stream_files *s, uint64_t stream, uint64_t lost, const struct buffer_clock *now)
{
	struct packet_header h = last_packet(s, stream);

	if (lost <= h.events_discarded) {
		return true;
	}
	h.events_discarded = lost;
	return append_empty(s, stream, h, now->ticks);
}

bool stream_files_mark_missing(struct stream_files *s, const struct ctf_index_lost *lost)
{
	struct packet_header h = last_packet(s, lost->stream);
	uint64_t last = h.sequence;
	char path[300];

	vec_foreach (const uint64_t *, sequence, &lost->sequences) {
		last = *sequence > last ? *sequence : last;
	}
	if (last > h.sequence) {
		h.sequence = last;
		if (!append_empty(s, lost->stream, h, lost->end)) {
			return false;
		}
	}
	if (faccessat(s->directory, lost->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		return true;
	}
	snprintf(path, sizeof(path), "%s/%s%s", CTF_INDEX, lost->name, CTF_INDEX_SUFFIX);
	return unlinkat(s->directory, path, 0) == 0 || errno == ENOENT ||
	       fail(s, lost->name, "its index cannot be removed", errno);
}

bool stream_files_mark_torn(struct stream_files *s, const struct stream_file *f)
{
	struct packet_header h = last_packet(s, f->stream);
	const struct torn_packet *t = &f->torn;

	/* Nothing of the packet is left, and a later one shows the gap in the numbers. */
	if (t->missing == 0 && h.sequence > t->sequence) {
		return true;
	}
	h.sequence++;
	return append_empty(s, f->stream, h, t->end);
}

bool stream_files_finish(struct stream_files *s, bool *changed)
{
	vec_foreach (struct stream_file *, f, &s->all) {
		if (f->changed) {
			if (!open_file(s, f)) {
				return false;
			}
			bool ok = fsync(f->file.fd) == 0 ||
				  fail(s, f->name, "cannot be written", errno);

			if (!close_file(s, f, ok)) {
				return false;
			}
		}
		*changed |= f->changed;
		int error = packet_file_write_index(&f->file, s->directory, f->name, changed);

		if (error) {
			return fail(s, f->name, "its index cannot be written", error);
		}
	}
	return true;
}

void stream_files_count(const struct stream_files *s, uint64_t *streams, uint64_t *lost)
{
	uint64_t before = 0;

	*streams = *lost = 0;
	vec_foreach (const struct stream_file *, f, &s->all) {
		if (f->stream != before) {
			++*streams;
			*lost += last_packet(s, f->stream).events_discarded;
		}
		before = f->stream;
	}
}
