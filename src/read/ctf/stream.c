/* SPDX-License-Identifier: MIT */
/* The packets of one stream, see read/ctf/stream.h. */
#include "read/ctf/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "read/ctf/packet.h"

/* How much of a file stays mapped in memory behind the reader. */
#define KEEP_BYTES ((size_t)1 << 20)

void ctf_stream_fail(const struct ctf_stream *s, struct read_error *error, const char *fmt, ...)
{
	const char *name = s->file < s->file_count ? s->files[s->file].name : "the buffer";
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

static void unmap(struct ctf_stream *s)
{
	if (s->map) {
		munmap(s->map, s->map_size);
		s->map = NULL;
	}
}

void ctf_stream_rest(struct ctf_stream *s)
{
	unmap(s);
	free(s->copy);
	s->copy = NULL;
	s->pos = s->end = s->packet = NULL;
}

void ctf_stream_close(struct ctf_stream *s)
{
	ctf_stream_rest(s);
	vec_fini(&s->credits);
}

/*
 * Maps the file at hand, if there is something in it; false with an error. One
 * that is gone was rotated away meanwhile: its packets will be missed.
 */
static bool map_file(struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	uint64_t size;
	int fd = ctf_file_open(&s->files[s->file], t, &size);
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

void ctf_stream_take(
	struct ctf_stream *s, const struct ctf_trace *t, const unsigned char *packet, size_t there)
{
	size_t content = s->header.content_size / 8;
	uint64_t last = s->header.timestamp_end;
	bool goes_on = ctf_stream_goes_on(s, &s->header, content);

	s->last_ticks = last < t->last_ticks ? last : t->last_ticks;
	s->packet = packet;
	s->is_cut = content > there;
	s->end = packet + (s->is_cut ? there : content);
	s->tid = s->header.tid;
	if (goes_on) {
		s->pos = s->resume < there ? packet + s->resume : s->end;
	} else {
		s->pos = packet + sizeof(s->header);
		s->ticks = s->header.timestamp_begin;
		s->waits = 0;
		ctf_gap_note(s, t);
	}
	s->is_open = t->is_live && s->header.timestamp_end == PACKET_OPEN;
	s->begin = s->pos;
	s->resume = SIZE_MAX;
}

enum ctf_step ctf_stream_broken(struct ctf_stream *s, const char *why, struct read_error *error)
{
	s->pos = s->end = NULL;
	s->has_broken = true;
	ctf_stream_fail(s, error, "%s", why);
	return CTF_BROKEN;
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
	size_t at = s->next / PACKET_EVENT_ALIGN * PACKET_EVENT_ALIGN + PACKET_EVENT_ALIGN;

	for (; at < s->map_size; at += PACKET_EVENT_ALIGN) {
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

	if (size >= sizeof(s->header) && size <= left && size <= PACKET_FILE_BYTES_MAX &&
		(size == left || ctf_packet_begins(s->map + s->next + size, left - size, t))) {
		return s->next + size;
	}
	return find_packet(s, t);
}

/* The file's last packet is not whole: silently, when memory has it, or it is being written. */
static enum ctf_step torn(
	struct ctf_stream *s, const struct ctf_trace *t, const char *why, struct read_error *error)
{
	if (!t->is_live && !ctf_left_has_next(s)) {
		return ctf_stream_broken(s, why, error);
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
	s->given_up = CTF_UNTOLD;
	s->packet_offset = s->next;
	if (left < sizeof(s->header)) {
		/* Memory has the events of packets until they are whole here: nothing is missing.
		 */
		s->next = t->buffer ? s->packet_offset : s->map_size;
		return t->buffer ? CTF_LAST : ctf_stream_broken(s, "cut inside its header", error);
	}
	ctf_packet_load(&s->header, bytes, t->swap);
	const char *why = ctf_packet_fault(&s->header, t, s->instance);

	if (why) {
		s->next = behind(s, t);
		return s->next == s->map_size ? torn(s, t, why, error)
					      : ctf_stream_broken(s, why, error);
	}
	uint64_t size = s->header.packet_size / 8;

	s->told = s->header.events_discarded;
	s->next += size < left ? size : left;
	/* What follows a packet that is being written begins behind its padding, not behind `left`.
	 */
	if (t->is_live ? size > left : s->header.content_size / 8 > left && ctf_left_has_next(s)) {
		return torn(s, t, "", error);
	}
	ctf_gap_found(s, s->header.sequence);
	if (ctf_stream_goes_on(s, &s->header, s->header.content_size / 8)) {
		ctf_stream_take(s, t, bytes, left);
		return CTF_PACKET;
	}
	why = order_fault(s);
	if (why && s->is_reopened) {
		s->is_open &= s->header.sequence != s->sequence;
		return CTF_SKIPPED;
	}
	if (why && s->header.sequence == s->sequence) {
		return ctf_stream_broken(s, why, error);
	}
	ctf_stream_take(s, t, bytes, left);
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

/* Another file, or one in which more was written since. */
static void begin_file(struct ctf_stream *s)
{
	if (s->at != s->files[s->file].name) {
		s->at = s->files[s->file].name;
		s->number = 0;
		s->next = 0;
	}
}

/*
 * Whether packets are wanted that were added to the file while it was read: who reads a running
 * process's trace to its end would else never reach it, where events come faster than they are
 * read. Those that memory had when it was looked at are.
 */
static bool wants_more(const struct ctf_stream *s, const struct ctf_trace *t)
{
	return !t->is_bounded || s->sequence < s->newest;
}

/* The next packet out of the files; CTF_LAST: they have no other. */
static enum ctf_step next_mapped(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	for (; s->file < s->file_count; s->file++) {
		if (!s->map) {
			begin_file(s);
			if (!map_file(s, t, error)) {
				s->file++;
				return CTF_BROKEN;
			}
		}
		enum ctf_step step = next_of_file(s, t, error);

		if (step != CTF_LAST) {
			return step;
		}
		bool grew = t->buffer && ctf_file_size(&s->files[s->file], t) > s->map_size;

		unmap(s);
		s->is_passed = grew && !wants_more(s, t);
		if (s->is_passed) {
			return CTF_LAST; /* nor what the files behind it have */
		}
		s->file -= grew; /* it is the next one again */
	}
	return CTF_LAST;
}

/* Where the file is that has the packet behind the last one, or is the newest. */
static size_t find_place(const struct ctf_stream *s)
{
	size_t file = 0;

	for (size_t i = 0; i < s->file_count; i++) {
		if (s->at == s->files[i].name) {
			return i;
		}
		if (s->files[i].sequence > 0 && s->files[i].sequence <= s->sequence + 1) {
			file = i;
		}
	}
	return file;
}

void ctf_stream_point(struct ctf_stream *s, const struct ctf_file *files, size_t count)
{
	s->files = files;
	s->file_count = count;
	s->is_reopened = s->is_pointed;
	s->is_pointed = true;
	s->file = find_place(s);
}

/* The end of what was there of the packet at hand: there may be more of it later. */
static void note_end(struct ctf_stream *s)
{
	if (s->packet && s->packet == s->copy) {
		size_t read = (size_t)(s->pos - s->packet);

		s->resume = (read + PACKET_EVENT_ALIGN - 1) & ~(size_t)(PACKET_EVENT_ALIGN - 1);
	}
	s->pos = s->end = s->packet = NULL;
}

void ctf_stream_hold(struct ctf_stream *s)
{
	s->resume = (size_t)(s->pos - s->packet);
	if (s->packet != s->copy) {
		s->next = s->packet_offset;
	}
	s->waits++;
	s->is_cut = false;
	s->pos = s->end = s->packet = NULL;
}

enum ctf_step ctf_stream_next(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	note_end(s);
	enum ctf_step step = next_mapped(s, t, error);

	if (step == CTF_LAST) {
		step = ctf_left_next(s, t, error);
	}
	/* What was lost since comes before what was passed. */
	return step == CTF_LAST && !s->is_passed ? ctf_gap_trailing(s, t) : step;
}
