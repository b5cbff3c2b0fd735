/* SPDX-License-Identifier: MIT */
/*
 * Reads the contents of a buffer file: packets, counters, clock and its trace, while its process
 * may change all of them. A packet's first page is read with pread(2), which allocates no memory
 * for holes; only if it holds a packet is it read through the mapping, whose loads cannot be torn.
 * The loads and fences here acquire the recording process's release stores of `content_size` and
 * `magic`. Called by ctf/stream.c, ctf/files.c and recovery.
 */
#include "read/buffer_source.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLOCK_TRIES 1000

bool buffer_source_read(const struct buffer_source *s, void *buffer, size_t n, uint64_t offset)
{
	unsigned char *to = buffer;

	while (n > 0) {
		ssize_t got = pread(s->fd, to, n, (off_t)offset);

		if (got <= 0) {
			if (got < 0 && errno == EINTR) {
				continue;
			}
			return false;
		}
		to += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

/* Loads a number that cannot be torn. Its page was read before, so it has memory. */
static uint64_t load(const struct buffer_source *s, uint64_t offset)
{
	return __atomic_load_n((const uint64_t *)(const void *)(s->map + offset), __ATOMIC_ACQUIRE);
}

/* Compares the fields that do not change while a packet is recorded. */
static bool is_same_packet(const struct packet_header *a, const struct packet_header *b)
{
	return a->magic == b->magic && a->stream_instance_id == b->stream_instance_id &&
	       a->sequence == b->sequence && a->timestamp_begin == b->timestamp_begin;
}

static uint64_t table_entries(const struct buffer_source *s)
{
	uint64_t offset = s->header.streams_offset;
	uint64_t room = offset < s->bytes ? (s->bytes - offset) / sizeof(struct buffer_stream) : 0;

	if (offset < sizeof(s->header) || offset % sizeof(uint64_t) != 0) {
		return 0;
	}
	return room < BUFFER_STREAMS_MAX ? room : BUFFER_STREAMS_MAX;
}

bool buffer_source_is_anothers(const struct buffer_source *s)
{
	uint8_t uuid[16];

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return s->header.jail.on &&
	       (!buffer_source_read(s, uuid, sizeof(uuid), offsetof(struct buffer_file, uuid)) ||
		       memcmp(uuid, s->header.uuid, sizeof(uuid)) != 0);
}

static struct buffer_counts counts_of(const struct buffer_source *s, uint64_t stream)
{
	struct buffer_stream entry = { 0 };

	if (stream == 0 || stream > table_entries(s) ||
		!buffer_source_read(s, &entry, sizeof(entry),
			s->header.streams_offset + (stream - 1) * sizeof(entry)) ||
		buffer_source_is_anothers(s)) {
		return (struct buffer_counts){ 0 };
	}
	return (struct buffer_counts){ entry.lost, entry.evicted[s->turn % 2] };
}

/* Returns how many other traces have used the buffer since the wanted one. */
static int32_t turns(const struct buffer_source *s)
{
	uint32_t turn = 0;

	bool is_read =
		buffer_source_read(s, &turn, sizeof(turn), offsetof(struct buffer_file, turn));

	return is_read ? (int32_t)(turn - s->turn) : 0;
}

/*
 * Reads the packet that begins at `offset`, a unit with memory. Its end is loaded before its
 * content size: a packet with an end gets no more events.
 */
static bool look(const struct buffer_source *s, uint64_t offset, struct buffer_packet *p)
{
	struct packet_header after;

	if (!buffer_source_read(s, &p->header, sizeof(p->header), offset) ||
		p->header.magic != PACKET_MAGIC) {
		return false;
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	p->header.timestamp_end = load(s, offset + offsetof(struct packet_header, timestamp_end));
	p->header.content_size = load(s, offset + offsetof(struct packet_header, content_size));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!buffer_source_read(s, &after, sizeof(after), offset) ||
		!is_same_packet(&p->header, &after) ||
		!packet_is_in_buffer(&p->header, s->header.uuid, s->bytes - offset)) {
		return false;
	}
	p->offset = offset;
	p->content_bytes = (size_t)(p->header.content_size / 8);
	p->evicted = counts_of(s, p->header.stream_instance_id).evicted;
	p->header.events_discarded += p->evicted;
	return true;
}

/*
 * Returns the first unit from `offset` on whose start has memory; the file's end if there is none.
 */
static uint64_t next_unit(const struct buffer_source *s, uint64_t offset)
{
	off_t data = lseek(s->fd, (off_t)offset, SEEK_DATA);

	if (data < 0) {
		return errno == ENXIO ? s->bytes : offset;
	}
	return ((uint64_t)data + BUFFER_UNIT - 1) / BUFFER_UNIT * BUFFER_UNIT;
}

/* Orders packets by stream and sequence. */
static int by_number(const void *va, const void *vb)
{
	const struct packet_header *a = &((const struct buffer_packet *)va)->header;
	const struct packet_header *b = &((const struct buffer_packet *)vb)->header;
	bool is_one_stream = a->stream_instance_id == b->stream_instance_id;
	uint64_t x = is_one_stream ? a->sequence : a->stream_instance_id;
	uint64_t y = is_one_stream ? b->sequence : b->stream_instance_id;

	return (x > y) - (x < y);
}

/* Orders packets by number; of two copies of one packet, the fuller one is first. */
static int by_number_and_content(const void *va, const void *vb)
{
	size_t x = ((const struct buffer_packet *)vb)->content_bytes;
	size_t y = ((const struct buffer_packet *)va)->content_bytes;
	int order = by_number(va, vb);

	return order ? order : (x > y) - (x < y);
}

/* Sorts the packets and keeps one copy of each. */
static void sort_once_each(struct buffer_packets *l)
{
	struct buffer_packet *items = l->items;
	size_t kept = 0;

	if (l->count == 0) {
		return;
	}
	qsort(items, l->count, sizeof(*items), by_number_and_content);
	for (size_t i = 1; i < l->count; i++) {
		if (by_number(&items[kept], &items[i]) != 0) {
			items[++kept] = items[i];
		}
	}
	l->count = kept + 1;
}

/* Finds the first packet from *offset on and moves *offset after it; false at the end. */
static bool next_packet(
	const struct buffer_source *s, uint64_t end, uint64_t *offset, struct buffer_packet *p)
{
	while ((*offset = next_unit(s, *offset)) < end &&
		end - *offset >= sizeof(struct packet_header)) {
		if (look(s, *offset, p)) {
			*offset += (p->header.packet_size / 8 + BUFFER_UNIT - 1) / BUFFER_UNIT *
				   BUFFER_UNIT;
			return true;
		}
		*offset += BUFFER_UNIT;
	}
	return false;
}

static void collect(const struct buffer_source *s, struct buffer_packets *l)
{
	struct stat st;
	/* If the file was truncated meanwhile, loads after its new end would fault. */
	uint64_t size = fstat(s->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	uint64_t end = size < s->bytes ? size : s->bytes;
	uint64_t offset = s->header.first_unit * BUFFER_UNIT;
	struct buffer_packet p;

	l->count = 0;
	while (next_packet(s, end, &offset, &p)) {
		vec_push(l, p);
	}
	/*
	 * These packets belong to another trace; all packets of the wanted one are in files then.
	 */
	if (turns(s) > 0) {
		l->count = 0;
	}
	sort_once_each(l);
}

size_t buffer_source_scan(struct buffer_source *s, const struct buffer_packet **packets)
{
	collect(s, &s->scanned);
	s->has_again = false;
	*packets = s->scanned.items;
	return s->scanned.count;
}

bool buffer_source_find(
	struct buffer_source *s, uint64_t stream, uint64_t sequence, struct buffer_packet *p)
{
	if (!s->has_again) {
		collect(s, &s->again);
		s->has_again = true;
	}
	const struct packet_header h = { .stream_instance_id = stream, .sequence = sequence };
	const struct buffer_packet *found = bsearch(&(struct buffer_packet){ .header = h },
		s->again.items, s->again.count, sizeof(*p), by_number);

	if (!found) {
		return false;
	}
	*p = *found;
	return buffer_source_look_again(s, p);
}

bool buffer_source_look_again(const struct buffer_source *s, struct buffer_packet *p)
{
	struct buffer_packet now;

	if (!look(s, p->offset, &now) || !is_same_packet(&p->header, &now.header)) {
		return false;
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	/* After a turn, the wanted trace's counters no longer count what is overwritten. */
	if (turns(s) > 0) {
		return false;
	}
	*p = now;
	return true;
}

bool buffer_source_copy(
	struct buffer_source *s, const struct buffer_packet *p, unsigned char *buffer)
{
	return buffer_source_copy_from(s, p, sizeof(p->header), buffer);
}

bool buffer_source_copy_from(
	struct buffer_source *s, const struct buffer_packet *p, size_t from, unsigned char *buffer)
{
	struct packet_header after;
	struct packet_header *copy = (struct packet_header *)(void *)buffer;

	if (!buffer_source_read(s, buffer, sizeof(*copy), p->offset) ||
		!buffer_source_read(s, buffer + from, p->content_bytes - from, p->offset + from)) {
		return false;
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!buffer_source_read(s, &after, sizeof(after), p->offset) ||
		!is_same_packet(&p->header, &after)) {
		return false;
	}
	copy->timestamp_end = p->header.timestamp_end;
	memcpy(copy->uuid, s->header.traces[s->turn % 2].uuid, sizeof(copy->uuid));
	copy->content_size = p->header.content_size;
	copy->events_discarded = p->header.events_discarded;
	return true;
}

/* The table keeps the counters of two traces; a third trace reuses this trace's entry. */
struct buffer_counts buffer_source_counts(const struct buffer_source *s, uint64_t stream)
{
	return turns(s) > 1 ? (struct buffer_counts){ 0 } : counts_of(s, stream);
}

uint64_t buffer_source_streams(const struct buffer_source *s)
{
	uint64_t count = 0;
	uint64_t most = table_entries(s);

	if (!buffer_source_read(s, &count, sizeof(count), offsetof(struct buffer_file, streams)) ||
		buffer_source_is_anothers(s)) {
		return 0;
	}
	return count < most ? count : most;
}

void buffer_source_clock(
	const struct buffer_source *s, struct buffer_clock *begin, struct buffer_clock *now)
{
	struct buffer_file h;

	*begin = *now = s->header.begin;
	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint32_t after;

		if (!buffer_source_read(s, &h, sizeof(h), 0)) {
			return;
		}
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (buffer_source_read(
			    s, &after, sizeof(after), offsetof(struct buffer_file, clock_turn)) &&
			after == h.clock_turn && after % 2 == 0) {
			*now = buffer_source_is_anothers(s) ? *begin : h.now;
			return;
		}
	}
}

bool buffer_source_is_closed(const struct buffer_source *s)
{
	uint32_t closed = 0;

	return buffer_source_read(
		       s, &closed, sizeof(closed), offsetof(struct buffer_file, closed)) &&
	       closed == 1;
}

bool buffer_source_end(const struct buffer_source *s, int *error)
{
	uint32_t ended = 0;

	if (!buffer_source_read(s, &ended, sizeof(ended), offsetof(struct buffer_file, ended)) ||
		ended == 0) {
		return false;
	}
	*error = ended - 1 <= INT_MAX ? (int)(ended - 1) : EIO;
	return true;
}

/* ---- Its traces ---- */

bool buffer_source_next_trace(const struct buffer_source *s, uint8_t uuid[16], char *directory)
{
	struct buffer_file h;

	if (turns(s) <= 0 || !buffer_source_read(s, &h, sizeof(h), 0)) {
		return false;
	}
	/*
	 * The header keeps two turns until the next one is prepared. After more than two turns, the
	 * newest one is used.
	 */
	uint32_t next = h.turn - s->turn == 2 ? h.turn - 1 : h.turn;
	const struct buffer_trace *t = &h.traces[next % 2];

	if (!memchr(t->directory, '\0', sizeof(t->directory))) {
		return false;
	}
	memcpy(uuid, t->uuid, sizeof(t->uuid));
	strcpy(directory, t->directory);
	return true;
}

bool buffer_source_place(const struct buffer_source *s, size_t i, const char *noted,
	char place[BUFFER_FILE_PATH_BYTES])
{
	size_t count = s->folder.roots.count;

	if (i >= (count ? count : 1)) {
		return false;
	}
	if (!buffer_folder_resolve(place, count ? s->folder.roots.items[i] : "", noted)) {
		place[0] = '\0';
	}
	return true;
}

void buffer_source_turn(struct buffer_source *s, const uint8_t uuid[16])
{
	struct buffer_file h;

	if (!buffer_source_read(s, &h, sizeof(h), 0)) {
		return;
	}
	bool is_newest = memcmp(h.traces[h.turn % 2].uuid, uuid, 16) == 0;
	if (is_newest || memcmp(h.traces[(h.turn - 1) % 2].uuid, uuid, 16) == 0) {
		memcpy(s->header.traces, h.traces, sizeof(h.traces));
		s->turn = is_newest ? h.turn : h.turn - 1;
	}
}
