/* SPDX-License-Identifier: MIT */
/* Packets are numbered anew, as they are others than those of the process. */
#include "relay/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "read/ctf/raw.h"
#include "read/layout.h"

#define FILL_BYTES (1u << 20) /* of packets that are being made */
#define END_NS (5 * CLOCK_NS_PER_S) /* without events, of a stream */
#define FEED_TEXT_SIZE 5000

/* ---- Streams ---- */

static struct feed_stream *add_stream(struct feed *f, uint32_t tid)
{
	struct feed_stream s = { .id = ++f->options->ids, .tid = tid, .floor = f->given_ns };

	out_init(&s.open, OUT_TO_MEMORY);
	out_init(&s.given, OUT_TO_MEMORY);
	vec_push(&f->streams, s);
	return &f->streams.items[f->streams.count - 1];
}

static struct feed_stream *stream_of(struct feed *f, uint32_t tid)
{
	size_t *index = &f->by_tid[tid % FEED_THREADS];

	if (*index >= f->streams.count || f->streams.items[*index].tid != tid) {
		*index = 0;
		while (*index < f->streams.count && f->streams.items[*index].tid != tid) {
			++*index;
		}
	}
	return *index < f->streams.count ? &f->streams.items[*index] : add_stream(f, tid);
}

static void begin_packet(struct out *packet)
{
	const struct packet_header empty = { 0 };

	packet->len = 0;
	out_bytes(packet, &empty, sizeof(empty));
}

static void fill_up(struct out *packet)
{
	static const char zeros[PACKET_EVENT_ALIGN];

	out_bytes(packet, zeros, -packet->len % PACKET_EVENT_ALIGN);
}

/* ---- Records ---- */

static bool is_secret(struct feed *f, const struct event_class *class)
{
	vec_reach(&f->secrets, class->index);
	uint8_t *known = &f->secrets.items[class->index];

	for (size_t i = 0; !*known && class->event && i < class->event->arg_count; i++) {
		*known = class->event->args[i].is_secret ? FEED_SECRET : FEED_UNSEEN;
	}
	*known = *known ? *known : FEED_OPEN;
	return *known == FEED_SECRET;
}

static void hide(const struct event_class *class, unsigned char *payload)
{
	for (size_t i = 0; i < class->event->arg_count && i < class->layout->count; i++) {
		if (class->event->args[i].is_secret) {
			layout_hide(class->layout, i, payload);
		}
	}
}

/* Marks what is older than a time as shown, in all streams. */
static void set_floor(struct feed *f, uint64_t ns)
{
	f->given_ns = ns;
	vec_foreach (struct feed_stream *, s, &f->streams) {
		s->floor = ns;
	}
}

static void add_event(struct feed *f, struct feed_stream *s, const struct record *rec)
{
	uint64_t ns = (uint64_t)rec->ns;
	size_t before = s->open.len;
	size_t size;
	const unsigned char *bytes = raw_bytes(rec, &size);

	if (f->given_ns == 0) {
		set_floor(f, ns - 1);
	}
	if (ns < s->floor) {
		s->discarded++;
		s->has_losses = true;
		return;
	}
	if (s->open.len == 0) {
		begin_packet(&s->open);
		s->first = ns;
	}
	fill_up(&s->open);
	out_bytes(&s->open, bytes, size);
	raw_set_time((unsigned char *)s->open.data + s->open.len - size, ns);
	if (is_secret(f, rec->class)) {
		hide(rec->class, (unsigned char *)s->open.data + s->open.len - rec->payload_size);
	}
	s->last = ns;
	f->open_bytes += s->open.len - before;
}

/* Adds the record that waits. False: events before a gap must be given first. */
static bool add_record(struct feed *f)
{
	struct feed_stream *s = stream_of(f, f->record.tid);

	if (f->record.kind == RECORD_EVENT) {
		add_event(f, s, &f->record);
		return true;
	}
	if (s->open.len > 0) {
		return false;
	}
	s->discarded += losses_events(&f->record.gap);
	s->sequence += losses_packets(&f->record.gap);
	s->has_losses = true;
	return true;
}

/* Reports the first part that cannot be read: `waymark print` names all. */
static void report_problem(struct feed *f)
{
	char text[FEED_TEXT_SIZE];

	if (!f->has_problem) {
		snprintf(text, sizeof(text), "%s: %s", f->path, f->reader->error.text);
		f->options->report(text);
		f->has_problem = true;
	}
}

/* Reads the next record. False: there is none now. */
static bool read_record(struct feed *f)
{
	enum read_result result;

	while ((result = reader_next(f->reader, &f->record)) == READ_PROBLEM) {
		report_problem(f);
	}
	if (result == READ_DAMAGED) {
		report_problem(f);
	}
	f->has_record = result == READ_RECORD;
	f->is_ended = result == READ_END || result == READ_DAMAGED;
	if (result == READ_NOTHING || (result == READ_RECORD && f->record.kind == RECORD_EVENT)) {
		uint64_t ns = f->has_record ? (uint64_t)f->record.ns : (uint64_t)f->reader->horizon;

		f->read_ns = ns > f->read_ns ? ns : f->read_ns;
	}
	return f->has_record;
}

void feed_fill(struct feed *f, int64_t until_ns)
{
	/* Each of many streams asks, and a reader searches all memory to find nothing. */
	if (f->is_held && !f->has_record && until_ns == f->quiet_ns) {
		return;
	}
	while (!f->is_ended && f->open_bytes < FILL_BYTES && (f->has_record || read_record(f))) {
		bool is_early = f->is_held && (int64_t)f->record.ns > until_ns;

		if (is_early || !add_record(f)) {
			break;
		}
		f->has_record = false;
	}
	f->quiet_ns = f->has_record || f->open_bytes >= FILL_BYTES ? INT64_MIN : until_ns;
}

/* ---- Packets ---- */

bool feed_has_new(const struct feed *f)
{
	bool has_new = !f->is_known;

	vec_foreach (const struct feed_stream *, s, &f->streams) {
		has_new |= !s->is_known;
	}
	return has_new;
}

bool feed_has_packet(const struct feed_stream *s)
{
	return s->open.len > 0 || s->has_losses;
}

static void note_given(struct feed *f, struct feed_stream *s, uint64_t ns)
{
	s->floor = ns;
	f->given_ns = ns > f->given_ns ? ns : f->given_ns;
}

/* Makes a packet of a stream complete. */
static void finish_packet(struct feed *f, struct feed_stream *s, struct out *packet)
{
	struct packet_header h = {
		.magic = PACKET_MAGIC,
		.stream_instance_id = s->id,
		.timestamp_begin = s->first,
		.timestamp_end = s->last,
		.content_size = 8 * packet->len,
		.sequence = ++s->sequence,
		.events_discarded = s->has_packets ? s->discarded : 0,
		.tid = s->tid,
	};

	memcpy(h.uuid, f->reader->traces[0].uuid, sizeof(h.uuid));
	fill_up(packet);
	h.packet_size = 8 * packet->len;
	memcpy(packet->data, &h, sizeof(h));
}

/* Makes the packet of the stream's events. */
static void take_events(struct feed *f, struct feed_stream *s)
{
	struct out none = s->given;

	f->open_bytes -= s->open.len;
	finish_packet(f, s, &s->open);
	s->given = s->open;
	s->open = none;
	note_given(f, s, s->last);
}

/* Makes a packet without events. */
static void take_none(struct feed *f, struct feed_stream *s)
{
	const uint64_t first = s->first;
	const uint64_t last = s->last;

	begin_packet(&s->given);
	s->floor = s->floor > 0 ? s->floor : 1; /* before all events, but a time */
	s->first = s->last = s->floor;
	finish_packet(f, s, &s->given);
	s->first = first;
	s->last = last;
}

const struct packet_header *feed_take(struct feed *f, struct feed_stream *s)
{
	/* A viewer counts losses from the packet before, so those before the first need one. */
	bool is_before = !s->has_packets && s->discarded > 0;

	s->offset += s->given.len;
	out_fini(&s->given);
	out_init(&s->given, OUT_TO_MEMORY);
	if (is_before || s->open.len == 0) {
		take_none(f, s);
	} else {
		take_events(f, s);
	}
	s->has_losses = is_before;
	s->has_packets = true;
	return (const struct packet_header *)s->given.data;
}

uint64_t feed_beacon(struct feed *f, struct feed_stream *s, int64_t until_ns)
{
	uint64_t ns = f->read_ns;

	if (f->is_held && (uint64_t)until_ns < ns) {
		ns = (uint64_t)until_ns;
	}
	ns -= s->id; /* babeltrace2 warns of two beacons of the same time */
	if (ns <= s->floor || ns > f->read_ns) {
		return 0;
	}
	note_given(f, s, ns);
	return ns;
}

/* ---- The trace ---- */

static bool check(const struct reader *r, struct read_error *error)
{
	if (!raw_is_known(r) || !r->traces[0].uuid) {
		read_error_set(error, "only native traces of hosts like this one can be relayed");
		return false;
	}
	return true;
}

struct feed *feed_open(
	const char *path, struct feed_options *options, bool is_new, struct read_error *error)
{
	const struct reader_options how = { .follow = is_new ? FOLLOW_NEW : FOLLOW_ALL,
		.stays = true };
	struct reader *r = reader_open(path, &how, error);

	if (!r || !check(r, error)) {
		if (r) {
			reader_close(r);
		}
		return NULL;
	}
	struct feed *f = xcalloc(1, sizeof(*f));

	f->path = xstrdup(path);
	f->reader = r;
	f->options = options;
	f->id = ++options->ids;
	f->is_held = options->are_held || r->traces[0].is_live;
	f->quiet_ns = INT64_MIN;
	int64_t real_ns = f->is_held ? options->real_ns : (int64_t)r->traces[0].realtime;

	if (!relay_metadata_open(&f->metadata, path, real_ns) ||
		!relay_metadata_look(&f->metadata)) {
		read_error_set(error, "its metadata cannot be read");
		feed_close(f);
		return NULL;
	}
	add_stream(f, r->traces[0].pid); /* a viewer forgets traces without streams */
	return f;
}

static void free_stream(struct feed_stream *s)
{
	out_fini(&s->open);
	out_fini(&s->given);
}

void feed_close(struct feed *f)
{
	vec_foreach (struct feed_stream *, s, &f->streams) {
		free_stream(s);
	}
	vec_fini(&f->streams);
	vec_fini(&f->secrets);
	relay_metadata_close(&f->metadata);
	reader_close(f->reader);
	free(f->path);
	free(f);
}

void feed_set_floor(struct feed *f, int64_t ns)
{
	set_floor(f, ns > 0 ? (uint64_t)ns : 0);
}

bool feed_end_stream(struct feed *f, struct feed_stream *s, int64_t until_ns)
{
	bool is_first = s == f->streams.items; /* a viewer forgets traces without streams */
	bool is_old = s->last < (uint64_t)until_ns - END_NS;

	if (feed_has_packet(s) || !(f->is_ended || (is_old && !is_first))) {
		return false;
	}
	free_stream(s);
	*s = f->streams.items[--f->streams.count];
	return true;
}
