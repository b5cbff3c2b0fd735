/* SPDX-License-Identifier: MIT */
/*
 * Reads the packets of one stream: first those in its files, then those that no file holds, copied
 * out of its process's memory. While the process lives, a packet may leave memory at any moment:
 * for its file, which is listed again then, or, with full=overwrite, for good. records.c calls
 * this, and gets only packets whose headers were checked; files.c calls it for the first headers.
 */
#include "read/ctf/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "read/bytes.h"

#define HOLE_MIN (64u << 10) /* bytes without a packet before a search for a hole */

/* Bytes of a file before the reader's position that stay mapped. */
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

/* ---- Headers ---- */

void ctf_packet_load(struct packet_header *h, const unsigned char *bytes, bool swap)
{
	memcpy(h, bytes, sizeof(*h));
	if (!swap) {
		return;
	}
	uint32_t *const words[] = { &h->magic, &h->stream_id, &h->cpu_id, &h->tid };
	uint64_t *const longs[] = { &h->stream_instance_id, &h->timestamp_begin, &h->timestamp_end,
		&h->content_size, &h->packet_size, &h->sequence, &h->events_discarded };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		*words[i] = __builtin_bswap32(*words[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(longs); i++) {
		*longs[i] = __builtin_bswap64(*longs[i]);
	}
}

bool ctf_packet_begins(const unsigned char *bytes, size_t left, const struct ctf_trace *t)
{
	const size_t head = sizeof(uint32_t) + sizeof(t->uuid);

	return left >= head && load32(bytes, t->swap) == PACKET_MAGIC &&
	       memcmp(bytes + sizeof(uint32_t), t->uuid, sizeof(t->uuid)) == 0;
}

/* Returns the fault of the stream's header; NULL if there is none. */
static const char *header_fault(const struct ctf_stream *s, const struct ctf_trace *t)
{
	const struct packet_header *h = &s->header;
	const struct {
		bool is_wrong;
		const char *what;
	} checks[] = {
		{ h->magic != PACKET_MAGIC, "not a packet: its magic number is missing" },
		{ memcmp(h->uuid, t->uuid, sizeof(h->uuid)) != 0,
			"a packet of another trace: its uuid differs" },
		{ h->stream_id != 0, "its class of streams is not known" },
		{ h->stream_instance_id != s->instance, "a packet of another stream" },
		{ h->packet_size % 8 || h->packet_size > 8 * (uint64_t)PACKET_FILE_BYTES_MAX ||
				h->packet_size < 8 * sizeof(*h),
			"its size is impossible" },
		{ h->content_size % 8 || h->content_size > h->packet_size ||
				h->content_size < 8 * sizeof(*h),
			"the size of its content is impossible" },
		{ h->timestamp_begin > h->timestamp_end, "it ends before it begins" },
		{ h->timestamp_begin > t->last_ticks, "its time is impossible" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		if (checks[i].is_wrong) {
			return checks[i].what;
		}
	}
	return NULL;
}

/*
 * Opens the packet whose header was checked. `there` is the number of its bytes that are present.
 */
static void open_packet(
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
	s->owner = s->tid ? s->tid : s->owner;
	if (goes_on) {
		s->pos = s->resume < there ? packet + s->resume : s->end;
	} else {
		s->pos = packet + sizeof(s->header);
		ctf_gap_note(s, t);
		s->ticks = s->header.timestamp_begin;
		s->waits = 0;
	}
	s->is_open = t->is_live && s->header.timestamp_end == PACKET_OPEN;
	s->begin = s->pos;
	s->resume = SIZE_MAX;
}

static enum ctf_step broken(struct ctf_stream *s, const char *why, struct read_error *error)
{
	s->pos = s->end = NULL;
	s->has_broken = true;
	ctf_stream_fail(s, error, "%s", why);
	return CTF_BROKEN;
}

/* ---- Packets in memory ---- */

/* True if memory has the packet of this number. */
static bool memory_has(const struct ctf_stream *s, uint64_t number)
{
	for (size_t i = 0; i < s->left_count; i++) {
		if (s->left[i].header.sequence == number) {
			return true;
		}
	}
	return false;
}

/* True if memory has the packet after the last one. */
static bool memory_has_next(const struct ctf_stream *s)
{
	return memory_has(s, s->sequence + 1);
}

static void drop_left(struct ctf_stream *s)
{
	s->left++;
	s->left_count--;
}

/*
 * Looks for the packet that is missing before *p, which may have begun after the scan had passed
 * its place. If it is not found, it is in the file, or was overwritten.
 */
static enum ctf_step fill_hole(
	struct ctf_stream *s, const struct ctf_trace *t, struct buffer_packet *p)
{
	uint64_t sequence = p->header.sequence;
	struct buffer_packet found;

	if (s->is_new || sequence <= s->sequence + 1 || sequence == s->hole) {
		return CTF_PACKET;
	}
	if (buffer_source_find(t->buffer, s->instance, s->sequence + 1, &found)) {
		*p = found;
		return CTF_PACKET;
	}
	s->hole = sequence;
	return CTF_SKIPPED;
}

/*
 * Finds the first packet in memory with unread events; CTF_LAST if there is none. Sequences have 64
 * bits and begin with 1, so none repeats, and a smaller one is older. In a damaged trace, the
 * largest is followed by 0, which no packet in memory has.
 */
static enum ctf_step find_unread(
	struct ctf_stream *s, const struct ctf_trace *t, struct buffer_packet *p)
{
	while (s->left_count > 0) {
		*p = *s->left;
		bool is_last = p->header.sequence == s->sequence;

		/*
		 * An open packet that has a successor was closed during the scan, and may have
		 * grown.
		 */
		bool was_closed =
			is_last && p->header.timestamp_end == PACKET_OPEN && memory_has_next(s);
		bool is_there = !was_closed || buffer_source_look_again(t->buffer, p);

		if (is_there && (p->header.sequence > s->sequence ||
					ctf_stream_goes_on(s, &p->header, p->content_bytes))) {
			return fill_hole(s, t, p);
		}
		drop_left(s);
		if (!is_there) {
			return CTF_SKIPPED;
		}
		s->is_open &= !is_last || p->header.timestamp_end == PACKET_OPEN;
	}
	return CTF_LAST;
}

/* Copies the unread part of the next packet that no file holds, and opens it. */
static enum ctf_step next_in_memory(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	struct buffer_packet p;
	enum ctf_step step = find_unread(s, t, &p);

	if (step != CTF_PACKET) {
		return step;
	}
	if (p.offset == s->left->offset) {
		drop_left(s);
	}
	if (!buffer_source_look_again(t->buffer, &p)) {
		return CTF_SKIPPED;
	}
	bool goes_on = ctf_stream_goes_on(s, &p.header, p.content_bytes);

	free(s->copy);
	s->copy = xrealloc(NULL, p.content_bytes);
	if (!buffer_source_copy_from(
		    t->buffer, &p, goes_on ? s->resume : sizeof(p.header), s->copy)) {
		return CTF_SKIPPED;
	}
	ctf_packet_load(&s->header, s->copy, false);
	s->packet_offset = p.offset;
	s->number++;
	const char *why = header_fault(s, t);

	if (why) {
		return broken(s, why, error);
	}
	if (!goes_on) {
		uint64_t more = p.evicted - s->evicted; /* modulo 2^64, as both counts are */

		s->overwritten = more <= INT64_MAX ? more : 0;
		s->evicted += s->overwritten;
	}
	open_packet(s, t, s->copy, p.content_bytes);
	s->is_open &= !memory_has_next(s); /* a next packet exists only after this one was closed */
	return CTF_PACKET;
}

/* ---- Packets in files ---- */

/*
 * Opens without blocking, as the file may be a fifo. Who can write the trace could make a link to a
 * file that only the reader's user may read.
 */
int ctf_file_open(const struct ctf_file *f, const struct ctf_trace *t, uint64_t *size)
{
	int fd = openat(t->directory, f->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	*size = fd >= 0 ? (uint64_t)st.st_size : 0;
	return fd;
}

uint64_t ctf_file_size(const struct ctf_file *f, const struct ctf_trace *t)
{
	struct stat st;

	return fstatat(t->directory, f->name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)st.st_size
									     : 0;
}

/*
 * Maps the current file unless it is empty; false with an error. A file that is gone was removed by
 * rotation meanwhile: its packets count as missing later.
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
		int why = errno;

		ctf_stream_fail(s, error, "cannot be read: %s", strerror(why));
		error->is_short = error_is_shortage(why);
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

/*
 * Returns the fault in the order of two packets of one file, each of which is valid; NULL if there
 * is none.
 */
static const char *order_fault(const struct ctf_stream *s)
{
	const struct packet_header *h = &s->header;

	if (h->sequence == s->sequence && s->sequence > 0) {
		return "the packet occurs twice";
	}
	return h->sequence < s->sequence ? "out of order: its events are older than those before it"
					 : NULL;
}

/* Returns where the file's bytes go on from `at` on: a hole has no packets, but may be huge. */
static size_t after_hole(const struct ctf_stream *s, const struct ctf_trace *t, size_t at)
{
	uint64_t size;
	int fd = ctf_file_open(&s->files[s->file], t, &size);
	off_t data = fd < 0 ? (off_t)at : lseek(fd, (off_t)at, SEEK_DATA);
	bool is_end = data < 0 && errno == ENXIO;

	if (fd >= 0) {
		close(fd);
	}
	data = data < 0 ? (off_t)at : data;
	return is_end || (size_t)data > s->map_size ? s->map_size : (size_t)data;
}

/* Returns the offset after a packet whose header is wrong, though its size may be right. */
static size_t behind(const struct ctf_stream *s, const struct ctf_trace *t)
{
	uint64_t size = s->header.packet_size / 8;
	size_t left = s->map_size - s->next;
	size_t at = s->next / PACKET_EVENT_ALIGN * PACKET_EVENT_ALIGN + PACKET_EVENT_ALIGN;

	if (size >= sizeof(s->header) && size <= left && size <= PACKET_FILE_BYTES_MAX &&
		(size == left || ctf_packet_begins(s->map + s->next + size, left - size, t))) {
		return s->next + size;
	}
	while (at < s->map_size && !ctf_packet_begins(s->map + at, s->map_size - at, t)) {
		at += PACKET_EVENT_ALIGN;
		at = at % HOLE_MIN == 0 ? after_hole(s, t, at) : at;
	}
	return at < s->map_size ? at : s->map_size;
}

/* Leaves an incomplete last packet of a file to memory, or to the writer that is writing it. */
static enum ctf_step leave(struct ctf_stream *s)
{
	s->next = s->packet_offset;
	s->number_read--;
	return CTF_LAST;
}

/* True if the file has more than is mapped: it was mapped while a packet was being written. */
static bool has_grown(const struct ctf_stream *s, const struct ctf_trace *t)
{
	return t->buffer && ctf_file_size(&s->files[s->file], t) > s->map_size;
}

/* The file ends inside a header. Memory keeps a packet's events until the file has all of it. */
static enum ctf_step end_in_header(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	if (t->buffer) {
		return leave(s); /* none is missing */
	}
	s->next = s->map_size;
	return broken(s, "cut inside its header", error);
}

/* Opens the packet at `next`, which is before the file's end. */
static enum ctf_step next_in_map(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	const unsigned char *bytes = s->map + s->next;
	size_t left = s->map_size - s->next;

	s->number = ++s->number_read;
	s->overwritten = CTF_UNKNOWN;
	s->packet_offset = s->next;
	if (left < sizeof(s->header)) {
		return end_in_header(s, t, error);
	}
	ctf_packet_load(&s->header, bytes, t->swap);
	const char *why = header_fault(s, t);

	if (why) {
		s->next = behind(s, t);
		bool is_left = s->next == s->map_size &&
			       (t->is_live || memory_has_next(s) || has_grown(s, t));

		return is_left ? leave(s) : broken(s, why, error);
	}
	uint64_t size = s->header.packet_size / 8;

	s->file_discarded = s->header.events_discarded;
	s->next += size < left ? size : left;
	/*
	 * If a packet is still being written, the next one begins after its padding. The first
	 * packet of a trace may have any number: the process had another trace before.
	 */
	bool is_incomplete = t->is_live ? size > left : s->header.content_size / 8 > left;

	if (is_incomplete && (t->is_live || memory_has(s, s->header.sequence) || has_grown(s, t))) {
		return leave(s);
	}
	ctf_gap_found(s, s->header.sequence);
	if (ctf_stream_goes_on(s, &s->header, s->header.content_size / 8)) {
		open_packet(s, t, bytes, left);
		return CTF_PACKET;
	}
	why = order_fault(s);
	if (why && s->is_reopened) {
		s->is_open &= s->header.sequence != s->sequence;
		return CTF_SKIPPED;
	}
	if (why && s->header.sequence == s->sequence) {
		return broken(s, why, error);
	}
	open_packet(s, t, bytes, left);
	if (why) {
		ctf_stream_fail(s, error, "%s", why);
		return CTF_BROKEN;
	}
	return CTF_PACKET;
}

/* Moves to the next packet of the current file; CTF_LAST if it has no other. */
static enum ctf_step next_in_file(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	enum ctf_step step = CTF_SKIPPED;

	while (step == CTF_SKIPPED) {
		if (!s->map || s->next >= s->map_size) {
			return CTF_LAST;
		}
		/* Releases the part that was read: a trace may be larger than memory. */
		size_t end = s->next / KEEP_BYTES * KEEP_BYTES;

		if (end > s->released) {
			madvise(s->map + s->released, end - s->released, MADV_DONTNEED);
			s->released = end;
		}
		step = next_in_map(s, t, error);
	}
	return step;
}

/* Moves to the next packet in a file; CTF_LAST if the files have no other. */
static enum ctf_step next_in_files(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	for (; s->file < s->file_count; s->file++) {
		const struct ctf_file *f = &s->files[s->file];

		if (!s->map && s->at != f->name) {
			s->at = f->name;
			s->number = s->number_read = 0;
			s->next = 0;
		}
		if (!s->map && !map_file(s, t, error)) {
			s->file += !error->is_short;
			return CTF_BROKEN;
		}
		enum ctf_step step = next_in_file(s, t, error);

		if (step != CTF_LAST) {
			return step;
		}
		bool grew = has_grown(s, t);

		unmap(s);
		/*
		 * A running process may record events faster than they are read, so reading to its
		 * end would never end. Only packets that the scan of memory found are wanted.
		 */
		s->is_passed = grew && t->is_bounded && s->sequence >= s->newest;
		if (s->is_passed) {
			return CTF_LAST; /* the files after it are not wanted */
		}
		s->file -= grew; /* continue with this file */
	}
	return CTF_LAST;
}

/* ---- The stream ---- */

void ctf_stream_point(struct ctf_stream *s, const struct ctf_file *files, size_t count)
{
	/* Of the packet that is read next: the last one, unless all of it was read. */
	uint64_t wanted = s->sequence + (s->resume == SIZE_MAX);
	size_t file = 0;

	s->files = files;
	s->file_count = count;
	s->is_reopened = s->is_pointed;
	s->is_pointed = true;
	/*
	 * Continues with the current file, else with the file of the next packet, else with the
	 * newest.
	 */
	for (size_t i = 0; i < count; i++) {
		if (s->at == files[i].name) {
			file = i;
			break;
		}
		if (files[i].sequence > 0 && files[i].sequence <= wanted) {
			file = i;
		}
	}
	s->file = file;
}

void ctf_stream_hold(struct ctf_stream *s)
{
	s->resume = (size_t)(s->pos - s->packet);
	if (s->packet != s->copy) {
		s->next = s->packet_offset;
		s->number_read--;
	}
	s->waits++;
	s->is_cut = false;
	s->pos = s->end = s->packet = NULL;
}

enum ctf_step ctf_stream_next(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	if (s->packet && s->packet == s->copy) {
		/* A packet in memory may have grown since it was read. */
		size_t read = (size_t)(s->pos - s->packet);

		s->resume = (read + PACKET_EVENT_ALIGN - 1) & ~(size_t)(PACKET_EVENT_ALIGN - 1);
	}
	s->pos = s->end = s->packet = NULL;
	enum ctf_step step = next_in_files(s, t, error);

	if (step == CTF_LAST) {
		step = next_in_memory(s, t, error);
	}
	/* Reports no losses if packets were passed: they belong before those packets. */
	return step == CTF_LAST && !s->is_passed ? ctf_gap_trailing(s, t) : step;
}
