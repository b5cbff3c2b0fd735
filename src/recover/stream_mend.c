/* SPDX-License-Identifier: MIT */
/*
 * One stream file, see recover/stream_mend.h. A packet is cut to size before its
 * header says so: whoever is killed between both finds the same packet again,
 * and comes to the same end.
 */
#include "recover/stream_mend.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(struct stream_files *s, const struct stream_file *f, const char *what)
{
	snprintf(s->error, sizeof(s->error), "%s: %s at byte %" PRIu64 "%s%s", f->name, what,
		f->file.end, errno ? ": " : "", errno ? strerror(errno) : "");
	return false;
}

static bool may_write(struct stream_files *s, const struct stream_file *f)
{
	errno = f->denied;
	return f->denied == 0 || fail(s, f, "cannot be written");
}

static bool read_at(int fd, void *buffer, size_t n, uint64_t offset)
{
	ssize_t got;

	do {
		got = pread(fd, buffer, n, (off_t)offset);
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)n;
}

/* Whether a packet of this stream begins with this header; its end may be missing. */
static bool is_header(
	const struct stream_files *s, const struct stream_file *f, const struct packet_header *h)
{
	return h->magic == PACKET_MAGIC &&
	       memcmp(h->uuid, s->layouts->uuid, sizeof(h->uuid)) == 0 && h->stream_id == 0 &&
	       h->stream_instance_id == f->stream && h->sequence > f->last.sequence &&
	       h->packet_size % 8 == 0 && h->content_size % 8 == 0 &&
	       h->content_size / 8 >= sizeof(*h) && h->content_size <= h->packet_size &&
	       h->packet_size / 8 <= PACKET_FILE_BYTES_MAX;
}

static bool is_open(const struct packet_header *h)
{
	return h->timestamp_end == PACKET_OPEN || h->timestamp_end < h->timestamp_begin;
}

/* Whether a packet's header is among the `n` bytes of the buffer. */
static bool has_header(
	const struct stream_files *s, const struct stream_file *f, const unsigned char *end)
{
	const size_t uuid_at = offsetof(struct packet_header, uuid);
	const unsigned char *p = s->buffer + uuid_at;
	struct packet_header h;

	while (p < end && (p = memmem(p, (size_t)(end - p), s->layouts->uuid, sizeof(h.uuid)))) {
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

/* Whether the stream goes on somewhere behind its damage, which is at the file's end so far. */
static bool goes_on(const struct stream_files *s, const struct stream_file *f)
{
	struct stat st;
	uint64_t size = fstat(f->file.fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	const uint64_t step = PACKET_BYTES_MAX - sizeof(struct packet_header);

	for (uint64_t at = f->file.end + 1; at < size; at += step) {
		size_t n = (size_t)(size - at < PACKET_BYTES_MAX ? size - at : PACKET_BYTES_MAX);

		if (!read_at(f->file.fd, s->buffer, n, at) || has_header(s, f, s->buffer + n)) {
			return true;
		}
	}
	return false;
}

/* Makes the header that of the whole events that are left; `there` bytes of the packet are. */
static void take_off(struct stream_files *s, struct stream_file *f, struct packet_header *h,
	uint64_t there, const struct walk *w)
{
	uint64_t content = h->content_size / 8;

	/* Where nothing but padding is cut, behind an event's last byte too, nothing is lost. */
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

/* Closes the packet at the file's end, of which `there` bytes exist. */
static bool close_packet(
	struct stream_files *s, struct stream_file *f, struct packet_header *h, uint64_t there)
{
	uint64_t packet = h->packet_size / 8;
	size_t n = (size_t)(there < packet ? there : packet);

	if (!may_write(s, f)) {
		return false;
	}
	if (!read_at(f->file.fd, s->buffer, n, f->file.end)) {
		return fail(s, f, "cannot be read");
	}
	struct walk w = layouts_walk(s->layouts, s->buffer, n);

	if (n < packet) {
		take_off(s, f, h, n, &w);
		if (ftruncate(f->file.fd, (off_t)(f->file.end + h->packet_size / 8)) != 0) {
			return fail(s, f, "cannot be cut");
		}
	}
	if (is_open(h)) {
		h->timestamp_end = w.last;
	}
	int error = packet_write_all(f->file.fd, h, sizeof(*h), f->file.end);

	if (error) {
		errno = error;
		return fail(s, f, "cannot be written");
	}
	f->changed = true;
	return true;
}

/* What the buffer has of a packet; NULL: nothing. */
static const struct packet_header *find_held(
	const struct stream_files *s, uint64_t stream, uint64_t sequence)
{
	for (size_t i = 0; i < s->held_count; i++) {
		const struct packet_header *h = &s->held[i].header;

		if (h->stream_instance_id == stream && h->sequence == sequence) {
			return h;
		}
	}
	return NULL;
}

/* Whether the buffer has at least as much of the packet. */
static bool is_held(const struct stream_files *s, const struct packet_header *h)
{
	const struct packet_header *held = find_held(s, h->stream_instance_id, h->sequence);

	return held && held->content_size >= h->content_size;
}

/*
 * Takes note of a packet of which the file has not even the header. Not where the memory is
 * there: that has the events of packets until they are whole in the file, and counts what a
 * packet without events reports.
 */
static void note_begun(struct stream_files *s, struct stream_file *f, uint64_t there)
{
	const uint32_t magic = PACKET_MAGIC;
	const uint64_t sequence = f->last.sequence + 1;
	size_t n = there < sizeof(magic) ? (size_t)there : sizeof(magic);

	if (read_at(f->file.fd, s->buffer, n, f->file.end) && memcmp(s->buffer, &magic, n) == 0) {
		f->torn = (struct torn_packet){ .sequence = sequence, .offset = f->file.end };
	}
}

/* Takes off what is there behind the last packet: `lost` bytes that nobody has. */
static bool cut(struct stream_files *s, struct stream_file *f, uint64_t lost)
{
	if (goes_on(s, f)) {
		errno = 0;
		return fail(s, f, "is damaged before packets that are whole,");
	}
	if (!may_write(s, f)) {
		return false;
	}
	if (ftruncate(f->file.fd, (off_t)f->file.end) != 0) {
		return fail(s, f, "cannot be cut");
	}
	s->cut += lost;
	f->changed = true;
	return true;
}

/* A header that was written, but is not one of this trace: damage, and not a torn write. */
static bool is_foreign(const struct stream_files *s, const struct packet_header *h)
{
	return h->magic == PACKET_MAGIC || memcmp(h->uuid, s->layouts->uuid, sizeof(h->uuid)) == 0;
}

/* Looks at the packet at the file's end so far, of which `there` bytes exist; false: no more. */
static bool mend_packet(struct stream_files *s, struct stream_file *f, uint64_t there, bool *ok)
{
	struct packet_header h;

	bool whole = there >= sizeof(h) && read_at(f->file.fd, &h, sizeof(h), f->file.end);

	if (whole && !is_header(s, f, &h) && is_foreign(s, &h)) {
		errno = 0;
		*ok = fail(s, f, "is damaged, or of another trace: nothing is cut,");
		return false;
	}
	if (!whole && !s->has_memory) {
		note_begun(s, f, there);
	}
	if (!whole || !is_header(s, f, &h)) {
		*ok = cut(s, f, whole || !s->has_memory ? there : 0);
		return false;
	}
	bool torn = h.packet_size / 8 > there;

	if (torn && is_held(s, &h)) {
		*ok = cut(s, f, 0);
		return false;
	}
	if ((torn || is_open(&h)) && !close_packet(s, f, &h, there)) {
		*ok = false;
		return false;
	}
	f->last = h;
	packet_file_note(&f->file, &h);
	return !torn;
}

bool stream_mend(struct stream_files *s, struct stream_file *f)
{
	bool ok = true;
	struct stat st;

	if (fstat(f->file.fd, &st) != 0) {
		return fail(s, f, "cannot be read");
	}
	uint64_t size = (uint64_t)st.st_size;

	while (f->file.end < size && mend_packet(s, f, size - f->file.end, &ok)) {
	}
	return ok;
}
