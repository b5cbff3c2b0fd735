/* SPDX-License-Identifier: MIT */
/*
 * The packets of one stream: first those in its files, then those that no file
 * holds, copied out of its process's memory. While the process lives, a packet
 * may leave memory at any moment: for its file, which is listed again then, or,
 * with full=overwrite, for good. Only packets whose headers were checked are
 * handed to records.c, which calls this; files.c reads first headers with it.
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

#include "read/bytes.h"

/* Bytes of a file behind the reader that stay mapped in memory. */
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

/* The fault of the stream's header; NULL: none. */
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

/* Opens the packet whose header was checked, with `there` bytes of it at hand. */
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

static enum ctf_step broken(struct ctf_stream *s, const char *why, struct read_error *error)
{
	s->pos = s->end = NULL;
	s->has_broken = true;
	ctf_stream_fail(s, error, "%s", why);
	return CTF_BROKEN;
}

/* ---- Packets in memory ---- */

/* True if memory has the packet behind the last one. */
static bool memory_has_next(const struct ctf_stream *s)
{
	for (size_t i = 0; i < s->left_count; i++) {
		if (s->left[i].header.sequence == s->sequence + 1) {
			return true;
		}
	}
	return false;
}

static void drop_left(struct ctf_stream *s)
{
	s->left++;
	s->left_count--;
}

/*
 * Looks for the packet that is missing before *p: it may have begun where the
 * scan had passed already. Else it is in the file, or was overwritten.
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
 * The first packet in memory with unread events; CTF_LAST: there is none. Sequences have 64 bits
 * and begin with 1, so none comes again, and a smaller one is older. In a damaged trace, the one
 * behind the largest is 0, which no packet in memory has.
 */
static enum ctf_step find_unread(
	struct ctf_stream *s, const struct ctf_trace *t, struct buffer_packet *p)
{
	while (s->left_count > 0) {
		*p = *s->left;
		bool is_last = p->header.sequence == s->sequence;

		/* An open packet with a next one was closed during the scan, and may have grown. */
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

/* The next packet that no file holds: copies what of it was not read, and opens it. */
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
		uint64_t more = p.evicted - s->evicted; /* modulo 2^64, as both are */

		s->overwritten = more <= INT64_MAX ? more : 0;
		s->evicted += s->overwritten;
	}
	open_packet(s, t, s->copy, p.content_bytes);
	s->is_open &= !memory_has_next(s); /* the next one is only read when this one is final */
	return CTF_PACKET;
}

/* ---- Packets in files ---- */

/* Without blocking: somebody may have put a fifo there. */
int ctf_file_open(const struct ctf_file *f, const struct ctf_trace *t, uint64_t *size)
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

uint64_t ctf_file_size(const struct ctf_file *f, const struct ctf_trace *t)
{
	struct stat st;

	return fstatat(t->directory, f->name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)st.st_size
									     : 0;
}

/*
 * Maps the current file if it has any bytes; false with an error. A file that is
 * gone was rotated away meanwhile: its packets count as missing later.
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

/* The fault in the order of two packets of one file, each of which is right; NULL: none. */
static const char *order_fault(const struct ctf_stream *s)
{
	const struct packet_header *h = &s->header;

	if (h->sequence == s->sequence && s->sequence > 0) {
		return "it is there twice";
	}
	return h->sequence < s->sequence ? "out of order: its events are older than those before it"
					 : NULL;
}

/* The offset behind a packet whose header is wrong: its size may be right. */
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
	}
	return at < s->map_size ? at : s->map_size;
}

/* The file's last packet is not whole: no error if memory has it, or it is being written. */
static enum ctf_step torn(
	struct ctf_stream *s, const struct ctf_trace *t, const char *why, struct read_error *error)
{
	if (!t->is_live && !memory_has_next(s)) {
		return broken(s, why, error);
	}
	s->next = s->packet_offset;
	return CTF_LAST;
}

/* Opens the packet at `next`, where bytes of the file are left. */
static enum ctf_step next_in_map(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	const unsigned char *bytes = s->map + s->next;
	size_t left = s->map_size - s->next;

	s->number++;
	s->overwritten = CTF_UNKNOWN;
	s->packet_offset = s->next;
	if (left < sizeof(s->header)) {
		/* Memory has the events of a packet until it is whole here: none is missing. */
		s->next = t->buffer ? s->packet_offset : s->map_size;
		return t->buffer ? CTF_LAST : broken(s, "cut inside its header", error);
	}
	ctf_packet_load(&s->header, bytes, t->swap);
	const char *why = header_fault(s, t);

	if (why) {
		s->next = behind(s, t);
		return s->next == s->map_size ? torn(s, t, why, error) : broken(s, why, error);
	}
	uint64_t size = s->header.packet_size / 8;

	s->file_discarded = s->header.events_discarded;
	s->next += size < left ? size : left;
	/* Behind a packet that is being written, the next one begins after its padding. */
	if (t->is_live ? size > left : s->header.content_size / 8 > left && memory_has_next(s)) {
		return torn(s, t, "", error);
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

/* Goes to the next packet of the current file; CTF_LAST: it has no other. */
static enum ctf_step next_in_file(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	enum ctf_step step = CTF_SKIPPED;

	while (step == CTF_SKIPPED) {
		if (!s->map || s->next >= s->map_size) {
			return CTF_LAST;
		}
		/* Gives back the part that was read: a trace may be larger than memory. */
		size_t end = s->next / KEEP_BYTES * KEEP_BYTES;

		if (end > s->released) {
			madvise(s->map + s->released, end - s->released, MADV_DONTNEED);
			s->released = end;
		}
		step = next_in_map(s, t, error);
	}
	return step;
}

/* Goes to the next packet in a file; CTF_LAST: the files have no other. */
static enum ctf_step next_in_files(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	for (; s->file < s->file_count; s->file++) {
		const struct ctf_file *f = &s->files[s->file];

		if (!s->map && s->at != f->name) {
			s->at = f->name;
			s->number = 0;
			s->next = 0;
		}
		if (!s->map && !map_file(s, t, error)) {
			s->file++;
			return CTF_BROKEN;
		}
		enum ctf_step step = next_in_file(s, t, error);

		if (step != CTF_LAST) {
			return step;
		}
		bool grew = t->buffer && ctf_file_size(f, t) > s->map_size;

		unmap(s);
		/*
		 * Reading a running process's trace to its end would never end if events come
		 * faster than they are read: only packets that the scan of memory met are wanted.
		 */
		s->is_passed = grew && t->is_bounded && s->sequence >= s->newest;
		if (s->is_passed) {
			return CTF_LAST; /* without the files behind it */
		}
		s->file -= grew; /* it is the next one again */
	}
	return CTF_LAST;
}

/* ---- The stream ---- */

void ctf_stream_point(struct ctf_stream *s, const struct ctf_file *files, size_t count)
{
	size_t file = 0;

	s->files = files;
	s->file_count = count;
	s->is_reopened = s->is_pointed;
	s->is_pointed = true;
	/* The current file, or the one that has the next packet, or is the newest. */
	for (size_t i = 0; i < count; i++) {
		if (s->at == files[i].name) {
			file = i;
			break;
		}
		if (files[i].sequence > 0 && files[i].sequence <= s->sequence + 1) {
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
	}
	s->waits++;
	s->is_cut = false;
	s->pos = s->end = s->packet = NULL;
}

enum ctf_step ctf_stream_next(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error)
{
	if (s->packet && s->packet == s->copy) {
		/* A packet in memory may have grown when it is read again. */
		size_t read = (size_t)(s->pos - s->packet);

		s->resume = (read + PACKET_EVENT_ALIGN - 1) & ~(size_t)(PACKET_EVENT_ALIGN - 1);
	}
	s->pos = s->end = s->packet = NULL;
	enum ctf_step step = next_in_files(s, t, error);

	if (step == CTF_LAST) {
		step = next_in_memory(s, t, error);
	}
	/* Losses since then come before the packets that were passed. */
	return step == CTF_LAST && !s->is_passed ? ctf_gap_trailing(s, t) : step;
}
