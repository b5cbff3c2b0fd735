/* SPDX-License-Identifier: MIT */
/* See ctf_cursor.h. */
#include <string.h>

#include "rt/record/close.h"
#include "rt/sink/ctf_cursor.h"

/* The oldest packet, seen now if there is a first one; 0: none. */
static uint32_t head(struct cursor *c)
{
	struct reader *r = &c->reader;

	if (!r->chunk) {
		r->chunk = cursor_first(c);
		r->taken = r->leaked = false;
		r->closing_ns = 0;
	}
	return r->chunk;
}

static bool head_is_closed(struct arena *a, struct cursor *c)
{
	return head(c) && (c->reader.taken || packet_is_closed(a, c->reader.chunk));
}

static bool has_events(struct arena *a, uint32_t chunk)
{
	return packet_bytes(a, chunk) > sizeof(struct packet_header);
}

/* The closed head leaves the list. */
static void advance(struct recorder *r, struct cursor *c)
{
	struct reader *reader = &c->reader;
	uint32_t done = reader->chunk;

	reader->chunk = reader->taken ? 0 : packet_next(recorder_arena(r), done);
	if (!reader->leaked) {
		/* Who reads the arena must not take it for one that no file has. */
		__atomic_store_n(&packet_at(recorder_arena(r), done)->magic, 0, __ATOMIC_RELAXED);
		waymark_recorder_free(r, done);
	}
	reader->taken = reader->leaked = false;
	reader->closing_ns = 0;
}

/* What full=overwrite gave up of the stream is told by every packet that comes after it. */
static void finish_header(struct ctf_round *round, struct cursor *c, struct packet_header *h)
{
	memcpy(h->uuid, round->state->trace.uuid, sizeof(h->uuid));
	h->events_discarded += c->reader.evicted;
}

/* The closed packets from the oldest on, at most CTF_GATHER. */
static size_t gather(struct ctf_round *round, struct cursor *c, struct packet_header **packets)
{
	struct arena *a = round->arena;
	uint32_t chunk = head(c);
	size_t count = 0;

	while (count < CTF_GATHER && chunk && (c->reader.taken || packet_is_closed(a, chunk))) {
		packets[count] = packet_at(a, chunk);
		finish_header(round, c, packets[count++]);
		chunk = c->reader.taken ? 0 : packet_next(a, chunk);
	}
	return count;
}

/* Writes some; false when there were none, or the file took not all. */
static bool write_some(struct ctf_round *round, struct cursor *c)
{
	struct packet_header *packets[CTF_GATHER];
	size_t count = gather(round, c, packets);
	size_t written = count ? waymark_ctf_write(&round->state->files, packets, count) : 0;

	for (size_t i = 0; i < count; i++) {
		if (i >= written) {
			packets[i]->events_discarded -= c->reader.evicted;
			continue;
		}
		round->taken += packets[i]->content_size / 8;
		c->reader.discarded = packets[i]->events_discarded - c->reader.evicted;
		c->reader.untold = false;
		c->reader.told = packets[i]->events_discarded;
		advance(round->recorder, c);
	}
	round->failed |= written < count;
	return count > 0 && written == count;
}

/* Whether the head began after the pass, which would never end if it waited for those. */
static bool head_is_new(struct ctf_round *round, struct cursor *c)
{
	return head(c) &&
	       packet_at(round->arena, c->reader.chunk)->timestamp_begin > round->now.ticks;
}

static void write_closed(struct ctf_round *round, struct cursor *c)
{
	while (round->discard && head_is_closed(round->arena, c)) {
		waymark_ctf_cursor_evict(round->recorder, round->state, c);
	}
	while (!round->failed && !head_is_new(round, c) && write_some(round, c)) {
	}
}

void waymark_ctf_cursor_close(struct ctf_round *round, struct cursor *c)
{
	if (head(c) && !head_is_closed(round->arena, c) &&
		has_events(round->arena, c->reader.chunk)) {
		waymark_close_begin(c, waymark_clock_ns());
	}
}

bool waymark_ctf_cursor_is_closing(struct ctf_round *round, struct cursor *c)
{
	return c->reader.chunk && c->reader.closing_ns && !head_is_closed(round->arena, c);
}

/* The packet is ours now. `end`: no event of it is later, none that follows earlier. */
static void adopt(struct ctf_round *round, struct cursor *c, uint64_t end)
{
	packet_at(round->arena, c->reader.chunk)->timestamp_end = end;
	c->reader.taken = true;
}

void waymark_ctf_cursor_force(struct ctf_round *round, struct cursor *c)
{
	uint64_t end = waymark_clock_ticks();
	uint32_t claim = __atomic_load_n(&c->claim, __ATOMIC_ACQUIRE);

	if (!(claim & 1) && __atomic_compare_exchange_n(&c->claim, &claim, claim | 1, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		adopt(round, c, end);
		c->reader.leaked = true;
		write_closed(round, c);
	}
}

/* Goes on with a closing that has begun, or begins one where it is time. */
static void close_old(struct ctf_round *round, struct cursor *c)
{
	struct packet_header *h = packet_at(round->arena, c->reader.chunk);
	uint64_t since = c->reader.closing_ns;
	uint64_t end;

	round->left = true;
	if (!since) {
		if (h->timestamp_begin < round->close_before) {
			waymark_close_begin(c, waymark_clock_ns());
		}
		return;
	}
	if (waymark_clock_ns() - since < CLOSE_SETTLE_NS) {
		return;
	}
	if (waymark_close_take(c, &end)) {
		adopt(round, c, end);
		write_closed(round, c);
	} else if (!__atomic_load_n(&c->hot.busy, __ATOMIC_ACQUIRE)) {
		waymark_close_begin(
			c, waymark_clock_ns()); /* it was awake, and found no other chunk */
	}
}

void waymark_ctf_cursor_pass(struct ctf_round *round, struct cursor *c)
{
	if (!head(c)) {
		return;
	}
	write_closed(round, c);
	if (head(c) && !head_is_closed(round->arena, c) &&
		has_events(round->arena, c->reader.chunk)) {
		close_old(round, c);
	}
}

/* A packet without events, which tells what its stream has lost since its last one. */
void waymark_ctf_cursor_tell(struct ctf_round *round, struct cursor *c)
{
	static char packet[PACKET_FILE_ALIGN] __attribute__((aligned(PACKET_FILE_ALIGN)));
	struct packet_header *h = (void *)packet;
	uint64_t lost = __atomic_load_n(&c->lost, __ATOMIC_ACQUIRE);

	if ((lost == c->reader.discarded && !c->reader.untold) || round->failed ||
		!waymark_ctf_cursor_is_written(round->arena, c)) {
		return;
	}
	uint64_t stream = __atomic_load_n(&c->stream, __ATOMIC_RELAXED);

	if (!stream) { /* not even its first event found memory */
		stream = __atomic_add_fetch(&round->arena->file.streams, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&c->stream, stream, __ATOMIC_RELAXED);
	}
	uint64_t now = waymark_clock_ticks();

	*h = (struct packet_header){
		.magic = PACKET_MAGIC,
		.stream_instance_id = stream,
		.timestamp_begin = now,
		.timestamp_end = now,
		.content_size = sizeof(*h) * 8,
		.packet_size = sizeof(packet) * 8,
		.sequence = __atomic_add_fetch(&c->sequence, 1, __ATOMIC_RELAXED),
		.events_discarded = lost + c->reader.evicted,
	};
	memcpy(h->uuid, round->state->trace.uuid, sizeof(h->uuid));
	if (waymark_ctf_write(&round->state->files, &h, 1) == 1) {
		c->reader.discarded = lost;
		c->reader.untold = false;
		c->reader.told = h->events_discarded;
	} else {
		c->sequence--;
	}
}

void waymark_ctf_cursor_retire(struct ctf_round *round, struct cursor *c)
{
	struct arena *a = round->arena;

	c->chunk = 0;
	if (head(c) && !head_is_closed(a, c)) {
		bool empty = !has_events(a, c->reader.chunk);

		/* It may have recorded since this pass began. */
		adopt(round, c, waymark_clock_ticks());
		if (empty) {
			advance(round->recorder, c);
		}
	}
}

void waymark_ctf_cursor_end(struct ctf_round *round, struct cursor *c)
{
	write_closed(round, c); /* until the open packet is the oldest one */
	waymark_ctf_cursor_retire(round, c);
	write_closed(round, c);
	waymark_ctf_cursor_tell(round, c);
}

/* As who reads the arena sees it, too. */
static void set_evicted(struct arena *a, struct cursor *c, uint64_t events)
{
	uint64_t stream = __atomic_load_n(&c->stream, __ATOMIC_RELAXED);
	struct arena_stream *s = stream ? arena_stream(a, stream) : NULL;

	c->reader.evicted = events;
	if (s) {
		__atomic_store_n(&s->evicted, events, __ATOMIC_RELEASE);
	}
}

void waymark_ctf_cursor_begin_trace(struct ctf_round *round, struct cursor *c)
{
	set_evicted(round->arena, c, c->reader.evicted - c->reader.told);
	c->reader.told = 0;
}

void waymark_ctf_cursor_evict(struct recorder *r, struct ctf_state *state, struct cursor *c)
{
	const struct packet_header *h = packet_at(recorder_arena(r), c->reader.chunk);
	uint64_t events = waymark_packet_events(
		&state->walk, h, packet_bytes(recorder_arena(r), c->reader.chunk));

	set_evicted(recorder_arena(r), c, c->reader.evicted + events);
	c->reader.untold = true;
	c->reader.discarded = h->events_discarded;
	advance(r, c);
}

uint64_t waymark_ctf_cursor_age(struct arena *a, struct cursor *c)
{
	if (!head_is_closed(a, c)) {
		return UINT64_MAX;
	}
	return packet_at(a, c->reader.chunk)->timestamp_begin;
}

bool waymark_ctf_cursor_is_written(struct arena *a, struct cursor *c)
{
	return !head(c) || (!head_is_closed(a, c) && !has_events(a, c->reader.chunk));
}
