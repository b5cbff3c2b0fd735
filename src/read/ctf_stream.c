/* SPDX-License-Identifier: MIT */
/* The packets of one stream, see read/ctf_stream.h. */
#include "read/ctf_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read/ctf_packet.h"

/* How much of a file stays mapped in memory behind the reader. */
#define KEEP_BYTES ((size_t)1 << 20)

void ctf_stream_fail(const struct ctf_stream *s, struct read_error *error, const char *fmt, ...)
{
	const char *name = s->file < s->file_count ? s->files[s->file].name : "the arena";
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s->number > 0) {
		read_error_set(error, "%s: packet %u at byte %" PRIu64 ": %s", name, s->number,
			s->packet_offset, text);
	} else {
		read_error_set(error, "%s: %s", name, text);
	}
}

/* Opens a stream's file. A fifo that somebody put there must not stop the reader. */
static int open_file(const struct ctf_file *f, const struct ctf_trace *t, uint64_t *size)
{
	int fd = openat(t->directory, f->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	*size = fd >= 0 ? (uint64_t)st.st_size : 0;
	return fd;
}

bool ctf_file_look(struct ctf_file *f, const struct ctf_trace *t)
{
	unsigned char bytes[sizeof(struct packet_header)];
	struct packet_header h;
	uint64_t size;
	int fd = open_file(f, t, &size);

	if (fd < 0) {
		return true; /* which ctf_stream_next() will say */
	}
	bool is_whole = pread(fd, bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes);

	close(fd);
	if (is_whole && ctf_packet_begins(bytes, sizeof(bytes), t)) {
		ctf_packet_load(&h, bytes, t->swap);
		f->instance = h.stream_instance_id;
		f->sequence = h.sequence;
		f->begin = h.timestamp_begin;
	}
	return size > 0;
}

static void unmap(struct ctf_stream *s)
{
	if (s->map) {
		munmap(s->map, s->map_size);
		s->map = NULL;
	}
}

void ctf_stream_close(struct ctf_stream *s)
{
	unmap(s);
	free(s->copy);
	s->copy = NULL;
	s->pos = s->end = s->packet = NULL;
}

/*
 * Maps the file at hand, if there is something in it; false with an error. One
 * that is gone was rotated away meanwhile: its packets will be missed.
 */
static bool map_file(struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	uint64_t size;
	int fd = open_file(&s->files[s->file], t, &size);
	void *map = MAP_FAILED;

	if (fd < 0 ? errno == ENOENT : size == 0) {
		if (fd >= 0) {
			close(fd);
		}
		return true;
	}
	if (fd >= 0) {
		map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (map == MAP_FAILED) {
		ctf_stream_fail(s, error, "cannot be read: %s", strerror(errno));
	} else {
		madvise(map, size, MADV_SEQUENTIAL);
		s->map = map;
		s->map_size = size;
		s->released = 0;
	}
	if (fd >= 0) {
		close(fd);
	}
	return s->map;
}

/* Gives back what was read: a trace may be larger than memory. */
static void release(struct ctf_stream *s)
{
	size_t end = s->next / KEEP_BYTES * KEEP_BYTES;

	if (end > s->released) {
		madvise(s->map + s->released, end - s->released, MADV_DONTNEED);
		s->released = end;
	}
}

/*
 * What is missing before the packet. The first packet's loss is that since the
 * trace's begin; pieces that were rotated away are packets missing, too.
 */
static void note_gap(struct ctf_stream *s)
{
	const struct packet_header *h = &s->header;
	bool is_next = h->sequence > s->sequence;

	s->lost = h->events_discarded > s->discarded ? h->events_discarded - s->discarded : 0;
	s->lost_packets = is_next ? h->sequence - s->sequence - 1 : 0;
	s->has_gap = s->lost || s->lost_packets;
	s->sequence = is_next ? h->sequence : s->sequence;
	s->discarded = s->discarded + s->lost;
}

/* Takes the packet whose header was checked, with `there` bytes of it at hand. */
static void take(
	struct ctf_stream *s, const struct ctf_trace *t, const unsigned char *packet, size_t there)
{
	size_t content = s->header.content_size / 8;
	uint64_t last = s->header.timestamp_end;

	s->last_ticks = last < t->last_ticks ? last : t->last_ticks;
	s->packet = packet;
	s->is_cut = content > there;
	s->pos = packet + sizeof(s->header);
	s->end = packet + (s->is_cut ? there : content);
	s->ticks = s->header.timestamp_begin;
	s->tid = s->header.tid;
	note_gap(s);
}

static void drop_left(struct ctf_stream *s)
{
	s->left++;
	s->left_count--;
}

static enum ctf_step broken(struct ctf_stream *s, const char *why, struct read_error *error)
{
	s->pos = s->end = NULL;
	ctf_stream_fail(s, error, "%s", why);
	return CTF_BROKEN;
}

/* The next packet that no file holds, copied out of the arena. */
static enum ctf_step next_left(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	while (s->left_count > 0 && s->left->header.sequence <= s->sequence) {
		drop_left(s);
	}
	if (s->left_count == 0) {
		return CTF_LAST;
	}
	const struct arena_packet *p = s->left;

	free(s->copy);
	s->copy = xrealloc(NULL, p->content_bytes);
	if (!arena_source_copy(t->arena, p, s->copy)) {
		return CTF_SKIPPED;
	}
	drop_left(s);
	ctf_packet_load(&s->header, s->copy, false);
	s->packet_offset = p->offset;
	s->number++;
	const char *why = ctf_packet_fault(&s->header, t, s->instance);

	if (why) {
		return broken(s, why, error);
	}
	take(s, t, s->copy, p->content_bytes);
	return CTF_PACKET;
}

/* Whether memory has the packet that is torn in the file. */
static bool is_left(const struct ctf_stream *s)
{
	for (size_t i = 0; i < s->left_count; i++) {
		if (s->left[i].header.sequence == s->sequence + 1) {
			return true;
		}
	}
	return false;
}

/* What may be wrong between two packets of one file, each of which is right. */
static const char *order_fault(const struct ctf_stream *s)
{
	const struct packet_header *h = &s->header;

	if (h->sequence == s->sequence && s->sequence > 0) {
		return "it is there twice";
	}
	if (h->sequence < s->sequence) {
		return "out of order: its events are older than those before it";
	}
	return NULL;
}

/* Where the next packet begins behind bytes that are none. */
static size_t find_packet(const struct ctf_stream *s, const struct ctf_trace *t)
{
	size_t at = s->next / PACKET_FILE_ALIGN * PACKET_FILE_ALIGN + PACKET_FILE_ALIGN;

	for (; at < s->map_size; at += PACKET_FILE_ALIGN) {
		if (ctf_packet_begins(s->map + at, s->map_size - at, t)) {
			return at;
		}
	}
	return s->map_size;
}

/* Where to go on behind a packet whose header is wrong: its size may be right. */
static size_t behind(const struct ctf_stream *s, const struct ctf_trace *t)
{
	uint64_t size = s->header.packet_size / 8;
	size_t left = s->map_size - s->next;

	if (size >= sizeof(s->header) && size <= left && size <= PACKET_BYTES_MAX &&
		(size == left || ctf_packet_begins(s->map + s->next + size, left - size, t))) {
		return s->next + size;
	}
	return find_packet(s, t);
}

/* The file's last packet is not whole: silently, when memory has it. */
static enum ctf_step torn(struct ctf_stream *s, const char *why, struct read_error *error)
{
	if (!is_left(s)) {
		return broken(s, why, error);
	}
	s->next = s->packet_offset;
	return CTF_LAST;
}

/* The packet at `next`, where bytes of the file are left. */
static enum ctf_step take_mapped(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	const unsigned char *bytes = s->map + s->next;
	size_t left = s->map_size - s->next;

	s->number++;
	s->packet_offset = s->next;
	if (left < sizeof(s->header)) {
		s->next = s->map_size;
		return torn(s, "cut inside its header", error);
	}
	ctf_packet_load(&s->header, bytes, t->swap);
	const char *why = ctf_packet_fault(&s->header, t, s->instance);

	if (why) {
		s->next = behind(s, t);
		return s->next == s->map_size ? torn(s, why, error) : broken(s, why, error);
	}
	uint64_t size = s->header.packet_size / 8;

	s->next += size < left ? size : left;
	if (s->header.content_size / 8 > left && is_left(s)) {
		return torn(s, "", error);
	}
	why = order_fault(s);
	if (why && s->is_reopened) {
		return CTF_SKIPPED;
	}
	if (why && s->header.sequence == s->sequence) {
		return broken(s, why, error);
	}
	take(s, t, bytes, left);
	if (why) {
		ctf_stream_fail(s, error, "%s", why);
		return CTF_BROKEN;
	}
	return CTF_PACKET;
}

/* The next packet of the mapped file; CTF_LAST: it has no other. */
static enum ctf_step next_of_file(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	enum ctf_step step = CTF_SKIPPED;

	while (step == CTF_SKIPPED) {
		if (!s->map || s->next >= s->map_size) {
			return CTF_LAST;
		}
		release(s);
		step = take_mapped(s, t, error);
	}
	return step;
}

/* The next packet out of the files; CTF_LAST: they have no other. */
static enum ctf_step next_mapped(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	for (; s->file < s->file_count; s->file++) {
		if (!s->map) {
			s->number = 0;
			s->next = 0;
			if (!map_file(s, t, error)) {
				s->file++;
				return CTF_BROKEN;
			}
		}
		enum ctf_step step = next_of_file(s, t, error);

		if (step != CTF_LAST) {
			return step;
		}
		unmap(s);
	}
	return CTF_LAST;
}

/* Goes on in the last file where it ended before: its process has written more since. */
static void reopen(struct ctf_stream *s, const struct ctf_trace *t)
{
	struct read_error ignored;

	s->is_reopened = true;
	if (s->file_count > 0) {
		s->file = s->file_count - 1;
		s->number = 0;
		map_file(s, t, &ignored);
	}
}

/* Events that were lost behind the last packet: only the process's table tells. */
static enum ctf_step trailing(struct ctf_stream *s, const struct ctf_trace *t)
{
	struct arena_stream counts = { 0 };

	s->pos = s->end = s->packet = NULL;
	s->has_gap = false;
	if (t->arena) {
		counts = arena_source_stream(t->arena, s->instance);
	}
	if (counts.lost + counts.evicted <= s->discarded) {
		return CTF_LAST;
	}
	s->lost = counts.lost + counts.evicted - s->discarded;
	s->lost_packets = 0;
	s->discarded += s->lost;
	return CTF_TRAILING_GAP;
}

enum ctf_step ctf_stream_next(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	enum ctf_step step = next_mapped(s, t, error);

	if (step == CTF_LAST) {
		step = next_left(s, t, error);
	}
	if (step == CTF_SKIPPED) {
		drop_left(s);
		reopen(s, t);
		return ctf_stream_next(s, t, error);
	}
	return step == CTF_LAST ? trailing(s, t) : step;
}
