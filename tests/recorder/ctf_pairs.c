/* SPDX-License-Identifier: MIT */
/* Decodes and checks the pairs of stream files: see ctf_pairs.h. */
#include <inttypes.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf_pairs.h"
#include "format/ctf.h"
#include "format/packet.h"
#include "rt/sink/sink.h"

void begin_pairs(const char *directory, enum recorder_policy policy, uint64_t buffer)
{
	if (waymark_recorder_set_buffer(buffer, NULL) ||
		waymark_recorder_set_policy(policy, NULL) ||
		waymark_sink_ctf.set_file(directory, false, NULL)) {
		_exit(1);
	}
}

struct stream {
	uint64_t number;
	uint64_t sequence; /* of the last packet */
	uint64_t end; /* of the last packet, ticks */
	uint64_t discarded;
	uint64_t gap; /* not yet assigned to an event */
};

static void add(struct pairs *p, struct stream *s, uint64_t ticks, const uint64_t *args)
{
	if ((p->count & (p->count - 1)) == 0) {
		size_t room = p->count ? 2 * p->count : 1;

		p->items = realloc(p->items, room * sizeof(*p->items));
		assert_non_null(p->items);
	}
	p->items[p->count++] = (struct pair){
		.stream = s->number, .who = args[0], .i = args[1], .ticks = ticks, .lost = s->gap
	};
	s->gap = 0;
}

static void check_header(const struct packet_header *h, struct stream *s, size_t rest)
{
	assert_int_equal(h->magic, PACKET_MAGIC);
	assert_int_equal(h->stream_instance_id, s->number);
	assert_true(h->packet_size / 8 <= rest);
	assert_true(h->content_size <= h->packet_size);
	assert_int_equal(h->packet_size % (PACKET_EVENT_ALIGN * 8), 0);
	assert_true(h->packet_size - h->content_size < PACKET_FILE_ALIGN * 8);
	/* Packets may be missing only if the header counts discarded events. */
	if (h->sequence <= s->sequence || (h->sequence > s->sequence + 1 && s->sequence &&
						  h->events_discarded == s->discarded)) {
		fail_msg("stream %" PRIu64 ": packet %" PRIu64 " behind packet %" PRIu64, s->number,
			h->sequence, s->sequence);
	}
	assert_true(h->events_discarded >= s->discarded);
	if (h->timestamp_begin < s->end || h->timestamp_end < h->timestamp_begin) {
		fail_msg("stream %" PRIu64 ": packet %" PRIu64
			 " begins %ld ticks after the one before, lasts %ld",
			s->number, h->sequence, (long)(h->timestamp_begin - s->end),
			(long)(h->timestamp_end - h->timestamp_begin));
	}
}

/* Extends an event's 48 bits by the packet's 64, and checks that the time is inside the packet. */
static void check_time(const struct packet_header *h, uint64_t ticks)
{
	uint64_t after = (ticks - h->timestamp_begin) & PACKET_CLOCK_MASK;

	if (after > h->timestamp_end - h->timestamp_begin) {
		fail_msg("stream %" PRIu64 ": packet %" PRIu64
			 ": an event %ld ticks behind its end",
			h->stream_instance_id, h->sequence,
			(long)(h->timestamp_begin + after - h->timestamp_end));
	}
}

static void read_packet(struct pairs *p, struct stream *s, const struct packet_header *h)
{
	const uint64_t *at = (const void *)(h + 1);
	const uint64_t *end = (const void *)((const char *)h + h->content_size / 8);
	uint64_t last = h->timestamp_begin & PACKET_CLOCK_MASK;

	s->gap += h->events_discarded - s->discarded;
	p->lost += h->events_discarded - s->discarded;
	for (; at + 3 <= end; at += 3) {
		uint64_t ticks = at[0] >> PACKET_ID_BITS;

		assert_int_equal(at[0] & 0xffff, event_pair.id);
		check_time(h, ticks);
		assert_true(((ticks - last) & PACKET_CLOCK_MASK) < PACKET_CLOCK_MASK / 2);
		last = ticks;
		add(p, s, ticks, at + 1);
	}
	assert_ptr_equal(at, end);
	s->sequence = h->sequence;
	s->end = h->timestamp_end;
	s->discarded = h->events_discarded;
	p->packets++;
}

static void read_piece(struct pairs *p, struct stream *s, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	size_t size = (size_t)st.st_size;
	char *bytes = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;

	assert_ptr_not_equal(bytes, MAP_FAILED);
	for (size_t at = 0; at < size;) {
		const struct packet_header *h = (const void *)(bytes + at);

		check_header(h, s, size - at);
		read_packet(p, s, h);
		at += h->packet_size / 8;
	}
	if (size) {
		munmap(bytes, size);
	}
	close(fd);
}

/* Gets the sort key of a file: stream, then order of rotation; other files come first. */
static void parse_name(const char *name, uint64_t *stream, uint64_t *piece)
{
	*stream = *piece = 0;
	sscanf(name, CTF_STREAM "%" SCNu64 "-%" SCNu64, stream, piece);
}

static int by_stream(const struct dirent **a, const struct dirent **b)
{
	uint64_t x[2], y[2];

	parse_name((*a)->d_name, &x[0], &x[1]);
	parse_name((*b)->d_name, &y[0], &y[1]);
	return x[0] != y[0] ? (x[0] > y[0] ? 1 : -1) : (x[1] > y[1]) - (x[1] < y[1]);
}

void read_pairs(struct pairs *p, const char *directory)
{
	struct stream s = { .number = 0 };
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, by_stream);

	memset(p, 0, sizeof(*p));
	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		uint64_t number, piece;
		char path[512];

		parse_name(entries[i]->d_name, &number, &piece);
		if (number) {
			if (number != s.number) {
				s = (struct stream){ .number = number };
				p->streams++;
			}
			snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
			read_piece(p, &s, path);
		}
		free(entries[i]);
	}
	free(entries);
}

void pairs_free(struct pairs *p)
{
	free(p->items);
	memset(p, 0, sizeof(*p));
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Returns the numbers of `who`, sorted; they must rise in each stream. The caller frees them. */
static uint64_t *numbers(const struct pairs *p, uint64_t who, size_t *count)
{
	uint64_t *all = malloc((p->count + 1) * sizeof(*all));
	const struct pair *last = NULL;

	assert_non_null(all);
	*count = 0;
	for (size_t k = 0; k < p->count; k++) {
		const struct pair *e = &p->items[k];

		if (e->who != who) {
			continue;
		}
		if (last && last->stream == e->stream && e->i <= last->i) {
			fail_msg("%" PRIu64 ": event %" PRIu64 " behind event %" PRIu64, who, e->i,
				last->i);
		}
		last = e;
		all[(*count)++] = e->i;
	}
	qsort(all, *count, sizeof(*all), by_number);
	return all;
}

uint64_t check_none_twice(const struct pairs *p, uint64_t who)
{
	size_t count;
	uint64_t *all = numbers(p, who, &count);

	for (size_t k = 1; k < count; k++) {
		if (all[k] == all[k - 1]) {
			fail_msg("%" PRIu64 ": event %" PRIu64 " is there twice", who, all[k]);
		}
	}
	free(all);
	return count;
}

uint64_t check_each_once(const struct pairs *p, uint64_t who)
{
	size_t count;
	uint64_t *all = numbers(p, who, &count);

	for (size_t k = 0; k < count; k++) {
		if (all[k] != k) {
			fail_msg(
				"%" PRIu64 ": event %" PRIu64 " where %zu was due", who, all[k], k);
		}
	}
	free(all);
	return count;
}

uint64_t check_gaps(const struct pairs *p, uint64_t who)
{
	uint64_t next = 0;

	for (size_t k = 0; k < p->count; k++) {
		const struct pair *e = &p->items[k];

		if (e->who != who) {
			continue;
		}
		if (e->i != next + e->lost) {
			fail_msg("%" PRIu64 ": event %" PRIu64 " behind a gap of %" PRIu64
				 ", the one before is %ld",
				who, e->i, e->lost, (long)next - 1);
		}
		next = e->i + 1;
	}
	return next;
}
