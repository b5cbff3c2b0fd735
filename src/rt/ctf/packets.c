/* SPDX-License-Identifier: MIT */
/*
 * A cursor's packets: writes them in order, closes open ones that are due, evicts them, or takes
 * them from threads that have ended. See packets.h.
 */
#include <string.h>

#include "rt/ctf/packets.h"
#include "rt/record/close.h"
#include "rt/record/stats.h"

/* Returns the packet that a thread has added to its list after one taken by force; 0: none. */
static uint32_t find_stranded(struct buffer *b, struct ctf_stream *own)
{
	uint32_t next = own->leaked ? packet_next(b, own->leaked) : 0;

	own->leaked = next ? 0 : own->leaked;
	return next;
}

/*
 * Returns the oldest packet; 0 if there is none. Takes the cursor's first packet if none was seen
 * yet.
 */
static uint32_t head(struct buffer *b, struct cursor *c)
{
	struct draining *d = &c->draining;

	if (!d->subbuf) {
		d->subbuf = find_stranded(b, ctf_stream(c));
		d->subbuf = d->subbuf ? d->subbuf : cursor_first(c);
		d->taken = ctf_stream(c)->forced = false;
		d->closing_ns = 0;
	}
	return d->subbuf;
}

static bool head_is_closed(struct buffer *b, struct cursor *c)
{
	return head(b, c) && (c->draining.taken || packet_is_closed(b, c->draining.subbuf));
}

static bool has_events(struct buffer *b, uint32_t subbuf)
{
	return packet_bytes(b, subbuf) > sizeof(struct packet_header);
}

/* Removes the closed head from the list. */
static void advance(struct recorder *r, struct cursor *c)
{
	struct ctf_stream *own = ctf_stream(c);
	struct draining *d = &c->draining;
	uint32_t done = d->subbuf;

	d->subbuf = d->taken ? 0 : packet_next(recorder_buffer(r), done);
	if (own->forced) {
		own->leaked = done;
	} else {
		/* Readers of the buffer must see that a file has this packet. */
		__atomic_store_n(&packet_at(recorder_buffer(r), done)->magic, 0, __ATOMIC_RELAXED);
		waymark_recorder_free(r, done);
	}
	d->taken = own->forced = false;
	d->closing_ns = 0;
	own->seen_bytes = 0;
}

/* Lists the closed packets from the oldest on, at most CTF_GATHER. */
static size_t gather(struct ctf_round *round, struct cursor *c, struct packet_header **packets)
{
	struct buffer *b = round->buffer;
	uint32_t subbuf = head(b, c);
	size_t count = 0;

	while (count < CTF_GATHER && subbuf && (c->draining.taken || packet_is_closed(b, subbuf))) {
		packets[count++] = packet_at(b, subbuf);
		subbuf = c->draining.taken ? 0 : packet_next(b, subbuf);
	}
	return count;
}

/* Writes some packets; returns false if there were none, or if the file did not take all. */
static bool write_some(struct ctf_round *round, struct cursor *c)
{
	struct packet_header *packets[CTF_GATHER];
	size_t count = gather(round, c, packets);
	size_t written = count ? waymark_ctf_write(&round->state->files, packets, count,
					 ctf_stream(c)->evicted)
			       : 0;

	for (size_t i = 0; i < written; i++) {
		round->taken += packets[i]->content_size / 8;
		c->draining.discarded = packets[i]->events_discarded;
		ctf_stream(c)->unreported = false;
		ctf_stream(c)->reported = packets[i]->events_discarded + ctf_stream(c)->evicted;
		ctf_stream(c)->sequence = packets[i]->sequence;
		if (counts_are_on()) {
			waymark_packet_count(
				&round->state->walk, packets[i], packets[i]->content_size / 8);
		}
		advance(round->recorder, c);
	}
	round->failed |= written < count;
	return count > 0 && written == count;
}

/* True if the head began after the pass did; a pass that waited for new packets would never end. */
static bool head_is_new(struct ctf_round *round, struct cursor *c)
{
	return head(round->buffer, c) &&
	       packet_at(round->buffer, c->draining.subbuf)->timestamp_begin > round->now.ticks;
}

/*
 * Writes the packet without events for which a number was taken, if there is one. The packet
 * reports the losses up to then.
 */
static void write_number(struct ctf_round *round, struct cursor *c)
{
	/* Under the drain lock. */
	static struct packet_header packet;
	struct packet_header *h = &packet;

	if (!ctf_stream(c)->number || round->failed) {
		return;
	}
	*h = (struct packet_header){
		.magic = PACKET_MAGIC,
		.stream_instance_id = buffer_stream_id(round->buffer, &c->stream),
		.timestamp_begin = ctf_stream(c)->number_ticks,
		.timestamp_end = ctf_stream(c)->number_ticks,
		.content_size = sizeof(*h) * 8,
		.packet_size = sizeof(packet) * 8,
		.sequence = ctf_stream(c)->number,
		.events_discarded = ctf_stream(c)->number_lost + ctf_stream(c)->evicted,
	};
	memcpy(h->uuid, round->state->trace.uuid, sizeof(h->uuid));
	if (waymark_ctf_write(&round->state->files, &h, 1, 0) != 1) {
		round->failed = true;
		return;
	}
	c->draining.discarded = ctf_stream(c)->number_lost;
	ctf_stream(c)->unreported = false;
	ctf_stream(c)->reported = h->events_discarded;
	ctf_stream(c)->sequence = ctf_stream(c)->number;
	ctf_stream(c)->number = 0;
}

static void write_closed(struct ctf_round *round, struct cursor *c)
{
	while (round->discard && head_is_closed(round->buffer, c)) {
		waymark_ctf_cursor_evict(round->recorder, round->state, c);
	}
	if (!round->discard) {
		write_number(round, c);
	}
	while (!round->failed && !head_is_new(round, c) && write_some(round, c)) {
	}
}

void waymark_ctf_cursor_close(struct ctf_round *round, struct cursor *c)
{
	if (head(round->buffer, c) && !head_is_closed(round->buffer, c) &&
		has_events(round->buffer, c->draining.subbuf)) {
		waymark_close_begin(c, waymark_clock_ns());
	}
}

bool waymark_ctf_cursor_is_closing(struct ctf_round *round, struct cursor *c)
{
	return c->draining.subbuf && c->draining.closing_ns && !head_is_closed(round->buffer, c);
}

bool waymark_ctf_cursor_is_awaited(struct ctf_round *round, struct cursor *c)
{
	return waymark_ctf_cursor_is_closing(round, c) && !head_is_new(round, c);
}

/*
 * Notes that the packet belongs to the consumer now. No event in it is later than `end`, and no
 * following event is earlier.
 */
static void adopt(struct buffer *b, struct cursor *c, uint64_t end)
{
	packet_at(b, c->draining.subbuf)->timestamp_end = end;
	c->draining.taken = true;
}

void waymark_ctf_cursor_force(struct ctf_round *round, struct cursor *c)
{
	uint64_t end = waymark_clock_ticks();
	uint32_t claim = __atomic_load_n(&c->claim, __ATOMIC_ACQUIRE);

	if (!(claim & 1) && __atomic_compare_exchange_n(&c->claim, &claim, claim | 1, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		adopt(round->buffer, c, end);
		ctf_stream(c)->forced = true;
		write_closed(round, c);
	}
}

/* Returns since when the head has not grown; UINT64_MAX if that is unknown. */
static uint64_t idle_since(struct buffer *b, struct cursor *c)
{
	return ctf_stream(c)->seen_bytes == packet_bytes(b, c->draining.subbuf)
		       ? ctf_stream(c)->seen_ticks
		       : UINT64_MAX;
}

void waymark_ctf_cursor_watch(struct ctf_round *round, struct cursor *c)
{
	uint64_t bytes = c->draining.subbuf ? packet_bytes(round->buffer, c->draining.subbuf) : 0;

	if (bytes != ctf_stream(c)->seen_bytes) {
		ctf_stream(c)->seen_bytes = bytes;
		ctf_stream(c)->seen_ticks = round->now.ticks;
	}
}

uint64_t waymark_ctf_cursor_idle_since(struct buffer *b, struct cursor *c)
{
	if (!head(b, c) || head_is_closed(b, c) ||
		__atomic_load_n(&c->hot.busy, __ATOMIC_ACQUIRE)) {
		return UINT64_MAX;
	}
	uint64_t since = idle_since(b, c);

	return since == UINT64_MAX ? since - 1 : since;
}

bool waymark_ctf_cursor_take(struct buffer *b, struct cursor *c)
{
	uint64_t end;

	/*
	 * The thread may have switched packets after this one was seen and before its closing was
	 * requested.
	 */
	if (head_is_closed(b, c) || !waymark_close_take(c, &end)) {
		return false;
	}
	adopt(b, c, end);
	return true;
}

/* True if the open packet must be closed: its thread has ended, it is old, or memory is needed. */
static bool is_due(const struct ctf_round *round, struct cursor *c)
{
	const struct packet_header *h = packet_at(round->buffer, c->draining.subbuf);

	return __atomic_load_n(&c->close, __ATOMIC_RELAXED) ||
	       h->timestamp_begin < round->close_before ||
	       idle_since(round->buffer, c) < round->idle_before;
}

/* Continues a closing that has begun, or begins one if it is due. */
static void close_old(struct ctf_round *round, struct cursor *c)
{
	uint64_t since = c->draining.closing_ns;
	uint64_t now = waymark_clock_ns();

	if (!since) {
		if (is_due(round, c)) {
			waymark_close_begin(c, now);
		}
	} else if (now - since >= CLOSE_SETTLE_NS && !waymark_ctf_cursor_take(round->buffer, c) &&
		   !__atomic_load_n(&c->hot.busy, __ATOMIC_ACQUIRE)) {
		waymark_close_begin(c, now); /* its thread was awake, and found no sub-buffer */
	}
}

void waymark_ctf_cursor_close_old(struct ctf_round *round, struct cursor *c)
{
	if (head(round->buffer, c) && !head_is_closed(round->buffer, c) &&
		has_events(round->buffer, c->draining.subbuf)) {
		close_old(round, c);
	}
}

void waymark_ctf_cursor_pass(struct ctf_round *round, struct cursor *c)
{
	if (!head(round->buffer, c) && !ctf_stream(c)->number) {
		return;
	}
	write_closed(round, c);
	waymark_ctf_cursor_close_old(round, c);
	write_closed(round, c);
	round->left |= c->draining.subbuf && has_events(round->buffer, c->draining.subbuf);
}

static void set_number(struct cursor *c, uint64_t number, uint64_t ticks, uint64_t lost)
{
	ctf_stream(c)->number = number;
	ctf_stream(c)->number_ticks = ticks;
	ctf_stream(c)->number_lost = lost;
}

/*
 * Takes the number of the cursor's next packet, unless its thread may have a packet or is in an
 * event: the thread takes a number before it shows a packet. If only the caller's thread is left,
 * it is not in an event, even if it has jumped out of one.
 */
static void take_number(const struct ctf_round *round, struct cursor *c)
{
	uint64_t last = __atomic_load_n(&c->sequence, __ATOMIC_ACQUIRE);
	uint64_t lost = __atomic_load_n(&c->lost, __ATOMIC_ACQUIRE);
	uint64_t now = waymark_clock_ticks();

	clock_before_loads(); /* a thread not seen in an event reads the clock later */
	if ((__atomic_load_n(&c->hot.busy, __ATOMIC_ACQUIRE) && !round->alone) ||
		head(round->buffer, c) ||
		!__atomic_compare_exchange_n(
			&c->sequence, &last, last + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
		return;
	}
	set_number(c, last + 1, now, lost);
}

static bool is_unreported(struct cursor *c)
{
	return ctf_stream(c)->unreported ||
	       __atomic_load_n(&c->lost, __ATOMIC_ACQUIRE) != c->draining.discarded;
}

void waymark_ctf_cursor_report(struct ctf_round *round, struct cursor *c)
{
	write_number(round, c); /* left by a try that failed; more events may be lost since */
	if (is_unreported(c) && !round->failed) {
		take_number(round, c);
		write_number(round, c);
	}
}

/*
 * Takes the packet that a thread was about to begin when it jumped out of the event. Its number
 * stays used.
 */
static void take_unborn(struct ctf_round *round, struct cursor *c)
{
	if (c->sequence == ctf_stream(c)->sequence || ctf_stream(c)->number) {
		return;
	}
	set_number(
		c, c->sequence, waymark_clock_ticks(), __atomic_load_n(&c->lost, __ATOMIC_ACQUIRE));
	if (c->subbuf && packet_at(round->buffer, c->subbuf)->sequence == c->sequence) {
		packet_at(round->buffer, c->subbuf)->magic = 0;
		waymark_recorder_free(round->recorder, c->subbuf);
	}
	c->subbuf = 0;
}

void waymark_ctf_cursor_leave(struct ctf_round *round, struct cursor *c)
{
	if (!head(round->buffer, c)) {
		take_unborn(round, c);
	} else if (!head_is_closed(round->buffer, c)) {
		adopt(round->buffer, c, waymark_clock_ticks());
		c->subbuf = c->subbuf == c->draining.subbuf ? 0 : c->subbuf; /* soon another's */
	}
}

/* Sets the count for the consumer and, in the buffer's tables, for readers of that trace. */
static void set_evicted(struct buffer *b, struct cursor *c, uint32_t trace, uint64_t events)
{
	uint64_t stream = __atomic_load_n(&c->stream, __ATOMIC_RELAXED);
	struct buffer_stream *s = stream ? buffer_stream(b, stream) : NULL;

	ctf_stream(c)->evicted = events;
	if (s) {
		__atomic_store_n(&s->evicted[trace], events, __ATOMIC_RELEASE);
	}
}

void waymark_ctf_cursor_begin_trace(struct ctf_round *round, struct cursor *c)
{
	struct buffer *b = round->buffer;

	set_evicted(b, c, buffer_next(b), ctf_stream(c)->evicted - ctf_stream(c)->reported);
	ctf_stream(c)->reported = 0;
}

void waymark_ctf_cursor_evict(struct recorder *r, struct ctf_state *state, struct cursor *c)
{
	const struct packet_header *h = packet_at(recorder_buffer(r), c->draining.subbuf);
	uint64_t events = waymark_packet_count(
		&state->walk, h, packet_bytes(recorder_buffer(r), c->draining.subbuf));

	struct buffer *b = recorder_buffer(r);

	set_evicted(b, c, buffer_now(b), ctf_stream(c)->evicted + events);
	ctf_stream(c)->unreported = true;
	c->draining.discarded = h->events_discarded;
	ctf_stream(c)->sequence = h->sequence;
	advance(r, c);
}

uint64_t waymark_ctf_cursor_age(struct buffer *b, struct cursor *c)
{
	if (!head_is_closed(b, c)) {
		return UINT64_MAX;
	}
	return packet_at(b, c->draining.subbuf)->timestamp_begin;
}

bool waymark_ctf_cursor_is_written(struct buffer *b, struct cursor *c)
{
	return !head(b, c) || (!head_is_closed(b, c) && !has_events(b, c->draining.subbuf));
}

bool waymark_ctf_cursor_is_done(struct cursor *c, bool left)
{
	const struct ctf_stream *own = ctf_stream(c);

	return !own->number && (!left || c->sequence == own->sequence);
}
