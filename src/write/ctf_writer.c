/* SPDX-License-Identifier: MIT */
/*
 * Writes native traces from records, see write/ctf_writer.h. Each stream has one open packet in
 * memory. Functions for every record are inline; functions for rare records are COLD.
 */
#include "write/ctf_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "format/debug.h"
#include "format/uuid.h"
#include "write/metadata.h"
#include "write/number.h"
#include "output/file.h"

/* Size at which a packet ends; a single event may fill PACKET_BYTES_MAX. */
#define PACKET_FULL ((size_t)256 << 10)
#define TIME_MAX (UINT64_C(1) << 62)

void ctf_writer_init(struct ctf_writer *w, int directory)
{
	*w = (struct ctf_writer){ .directory = directory };
	if (getrandom(w->uuid, sizeof(w->uuid), 0) != (ssize_t)sizeof(w->uuid)) {
		w->error = errno;
	}
	uuid_mark_random(w->uuid);
}

void ctf_writer_fini(struct ctf_writer *w)
{
	vec_foreach (struct ctf_writer_stream *, s, &w->streams) {
		packet_file_close(&s->file);
		free(s->buffer);
	}
	vec_fini(&w->streams);
	vec_fini(&w->classes);
}

static void fail(struct ctf_writer *w, int error)
{
	w->error = w->error ? w->error : error;
}

static COLD struct ctf_writer_stream *add_stream(struct ctf_writer *w)
{
	struct ctf_writer_stream s = { 0 };

	s.buffer = xcalloc(1, PACKET_BYTES_MAX);
	snprintf(s.name, sizeof(s.name), CTF_STREAM "%zu", w->streams.count + 1);
	fail(w, packet_file_open(&s.file, w->directory, s.name, O_RDWR | O_CREAT | O_EXCL));
	vec_push(&w->streams, s);
	return &w->streams.items[w->streams.count - 1];
}

/* Returns the first stream whose time would not run backwards. */
static inline struct ctf_writer_stream *find_stream(struct ctf_writer *w, uint64_t ns)
{
	vec_foreach (struct ctf_writer_stream *, s, &w->streams) {
		if (LIKELY(s->last <= ns)) {
			return s;
		}
	}
	return add_stream(w);
}

static void close_packet(struct ctf_writer *w, struct ctf_writer_stream *s)
{
	struct packet_header h = {
		.magic = PACKET_MAGIC,
		.stream_instance_id = (uint64_t)(s - w->streams.items) + 1,
		.timestamp_begin = s->begin,
		.timestamp_end = s->last,
		.content_size = 8 * (uint64_t)s->content,
		.sequence = ++s->sequence,
		.events_discarded = s->discarded,
	};

	memcpy(h.uuid, w->uuid, sizeof(h.uuid));
	memcpy(s->buffer, &h, sizeof(h));
	if (!w->error) {
		fail(w, packet_file_append(&s->file, s->buffer, s->last));
	}
	s->pos = 0;
}

static void open_packet(struct ctf_writer_stream *s, uint64_t ns)
{
	s->pos = s->content = sizeof(struct packet_header);
	s->begin = s->last = ns;
}

static COLD void learn_class(
	struct ctf_writer *w, struct ctf_writer_class *c, const struct event *e)
{
	if (w->ids >> PACKET_ID_BITS) {
		fail(w, EOVERFLOW);
	}
	*c = (struct ctf_writer_class){ .event = e, .id = (uint16_t)w->ids++ };
	c->room = 2 * sizeof(uint64_t);
	for (size_t i = 0; i < e->arg_count; i++) {
		const struct type *t = &e->args[i].type;
		bool is_number = type_is_number(t);

		c->sizes[i] = is_number ? (uint8_t)metadata_arg_bytes(t) : 0;
		c->room += 2 * metadata_arg_bytes(t);
		c->strings += !is_number && !type_is_pair(t);
		c->chars |= (uint32_t)t->is_char << i;
	}
}

static inline struct ctf_writer_class *find_class(
	struct ctf_writer *w, const struct event_class *class)
{
	vec_reach(&w->classes, class->index);
	struct ctf_writer_class *c = &w->classes.items[class->index];

	if (UNLIKELY(!c->event)) {
		learn_class(w, c, class->event);
	}
	return c;
}

/* Returns the bytes of a string after its length. NULL is one byte: a mark. */
static inline size_t string_bytes(const struct value *v, size_t limit)
{
	if (!v->text || v->kind != VALUE_STRING) {
		return 1;
	}
	return v->length < limit ? v->length : limit;
}

static size_t put_string(unsigned char *p, size_t at, const struct value *v, size_t limit)
{
	uint32_t n = (uint32_t)string_bytes(v, limit);
	bool is_null = !v->text || v->kind != VALUE_STRING;

	at = (at + sizeof(n) - 1) & ~(sizeof(n) - 1);
	memcpy(p + at, &n, sizeof(n));
	at += sizeof(n);
	if (!is_null) {
		memcpy(p + at, v->text, n);
	}
	if (is_null || v->length > limit) {
		p[at + n - 1] = '\0';
	}
	return at + n;
}

/* Writes a number, aligned to its size. */
static inline size_t put_number(unsigned char *p, size_t at, uint64_t v, size_t size)
{
	at = (at + size - 1) & ~(size - 1);
	number_put(p + at, v, size);
	return at + size;
}

static COLD void note_unsigned_chars(struct ctf_writer_class *c, const struct value *values)
{
	for (size_t i = 0; i < c->event->arg_count; i++) {
		if (c->chars >> i & 1 && values[i].number > INT8_MAX &&
			values[i].number <= UINT8_MAX) {
			c->unsigned_chars |= 1u << i;
		}
	}
}

/*
 * Returns the limit of a string's length, so that all strings of an event fit into the largest
 * packet.
 */
static inline size_t string_limit(const struct ctf_writer_class *c)
{
	return c->strings == 0 ? 0 : (PACKET_BYTES_MAX - PACKET_FILE_ALIGN - c->room) / c->strings;
}

static COLD size_t strings_room(
	struct ctf_writer *w, const struct ctf_writer_class *c, const struct value *values)
{
	size_t limit = string_limit(c);
	size_t room = 0;

	for (size_t i = 0; i < c->event->arg_count; i++) {
		if (c->sizes[i] == 0) {
			room += string_bytes(&values[i], limit);
			w->cut += values[i].kind == VALUE_STRING && values[i].text &&
				  values[i].length > limit;
		}
	}
	return room;
}

/* Returns a number; 0 if it is absent, as in traces of version 0, which lack some arguments. */
static inline uint64_t number_of(const struct value *v)
{
	return LIKELY(v->kind == VALUE_NUMBER) ? v->number : 0;
}

static size_t put_blob(unsigned char *p, size_t at, const struct value *v, size_t limit)
{
	bool is_null = !v->text || v->kind != VALUE_STRING;
	uint32_t length = is_null ? 0 : v->length;
	uint32_t kept = length < limit ? length : (uint32_t)limit;
	const uint32_t words[] = { is_null ? DEBUG_NULL : length + v->is_cut, kept };

	at = debug_blob_at(at);
	memcpy(p + at - sizeof(words), words, sizeof(words));
	if (!is_null) {
		memcpy(p + at, v->text, kept);
	}
	return at + kept;
}

static size_t put_pair(unsigned char *p, size_t at, const struct value *v)
{
	struct value_pair pair = { number_of(v), 0 };

	if (v->kind == VALUE_PAIR) {
		pair = value_pair(v);
	}
	at = debug_number_at(at, sizeof(pair));
	memcpy(p + at, &pair, sizeof(pair));
	return at + sizeof(pair);
}

static size_t put_debug(unsigned char *p, size_t at, const struct value *v, size_t limit)
{
	size_t bytes = debug_bytes(v->debug, sizeof(void *));

	p[at++] = v->debug;
	if (bytes == 0) {
		return put_blob(p, at, v, limit);
	}
	if (bytes > sizeof(uint64_t)) {
		return put_pair(p, at, v);
	}
	at = debug_number_at(at, bytes);
	number_put(p + at, number_of(v), bytes);
	return at + bytes;
}

/* Writes an argument that is no number: mostly a string. */
static size_t put_varying(const struct ctf_writer_class *c, unsigned char *p, size_t at, size_t i,
	const struct value *v)
{
	const struct type *t = &c->event->args[i].type;

	if (LIKELY(t->class == TYPE_STRING)) {
		return put_string(p, at, v, string_limit(c));
	}
	if (type_is_pair(t)) {
		return put_pair(p, at, v);
	}
	return t->class == TYPE_DEBUG ? put_debug(p, at, v, string_limit(c))
				      : put_blob(p, at, v, string_limit(c));
}

static inline void put_event(struct ctf_writer_stream *s, const struct ctf_writer_class *c,
	const struct value *values, uint64_t ns)
{
	unsigned char *p = s->buffer;
	size_t count = c->event->arg_count;
	size_t at = s->pos;

	at = put_number(p, at, ns << PACKET_ID_BITS | c->id, sizeof(uint64_t));
	for (size_t i = 0; i < count; i++) {
		at = LIKELY(c->sizes[i]) ? put_number(p, at, number_of(&values[i]), c->sizes[i])
					 : put_varying(c, p, at, i, &values[i]);
	}
	s->content = at;
	s->pos = (at + PACKET_EVENT_ALIGN - 1) & ~(size_t)(PACKET_EVENT_ALIGN - 1);
	s->last = ns;
}

/* Writes a gap, which is between two packets: the next one begins with it. */
static COLD void put_gap(struct ctf_writer *w, const struct record *rec, uint64_t ns)
{
	struct ctf_writer_stream *s = find_stream(w, ns);

	if (s->pos > 0) {
		close_packet(w, s);
	}
	s->discarded += losses_events(&rec->gap);
	/*
	 * The number of events in missing packets is unknown: skipping packet numbers shows the
	 * gap.
	 */
	s->sequence += losses_packets(&rec->gap);
	open_packet(s, ns);
}

void ctf_writer_put(struct ctf_writer *w, const struct record *rec, const struct value *values)
{
	uint64_t ns = LIKELY(rec->ns < TIME_MAX) ? rec->ns : TIME_MAX;

	if (UNLIKELY(rec->kind == RECORD_GAP)) {
		put_gap(w, rec, ns);
		return;
	}
	struct ctf_writer_class *c = find_class(w, rec->class);
	struct ctf_writer_stream *s = find_stream(w, ns);
	size_t room = c->room + (c->strings > 0 ? strings_room(w, c, values) : 0);

	/* An event has only 48 bits of its time, so a packet cannot span a longer gap. */
	if (s->pos > 0 &&
		UNLIKELY(s->pos + room > PACKET_FULL || ns - s->last > PACKET_CLOCK_MASK)) {
		close_packet(w, s);
	}
	if (UNLIKELY(s->pos == 0)) {
		open_packet(s, ns);
	}
	if (UNLIKELY(c->chars)) {
		note_unsigned_chars(c, values);
	}
	put_event(s, c, values, ns);
}

static void put_metadata(
	struct ctf_writer *w, struct out *out, const struct ctf_writer_origin *origin)
{
	struct ctf_text_trace trace = {
		.hostname = origin->hostname,
		.procname = origin->procname,
		.boot_id = origin->boot_id,
		.pid = origin->pid,
		.clock = { .freq = CTF_CLOCK_SECOND },
		.begin = { .realtime_ns = origin->realtime },
		.ended = CTF_FINISHED,
	};

	memcpy(trace.uuid, w->uuid, sizeof(trace.uuid));
	vec_foreach (const struct ctf_writer_stream *, s, &w->streams) {
		uint64_t last = s->last;

		trace.end.ticks = last > trace.end.ticks ? last : trace.end.ticks;
	}
	trace.end.monotonic_ns = trace.end.ticks;
	trace.end.realtime_ns = trace.end.ticks + origin->realtime;
	ctf_clock_place(&trace.clock, &trace.begin);
	metadata_put_head(out, &trace);
	vec_foreach (const struct ctf_writer_class *, c, &w->classes) {
		if (c->event) {
			metadata_put_event(out, c->id, c->event, c->unsigned_chars);
		}
	}
}

int ctf_writer_finish(struct ctf_writer *w, const struct ctf_writer_origin *origin)
{
	struct out metadata;
	bool changed;

	vec_foreach (struct ctf_writer_stream *, s, &w->streams) {
		if (s->pos > 0) {
			close_packet(w, s);
		}
		if (!w->error) {
			fail(w, packet_file_write_index(&s->file, w->directory, s->name, &changed));
		}
		fail(w, packet_file_close(&s->file));
	}
	out_init(&metadata, OUT_TO_MEMORY);
	put_metadata(w, &metadata, origin);
	if (!w->error) {
		fail(w, output_file_write(w->directory, CTF_METADATA, &metadata, &changed));
	}
	out_fini(&metadata);
	return w->error;
}
