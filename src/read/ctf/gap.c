/* SPDX-License-Identifier: MIT */
/*
 * Computes the events and packets that a stream lacks, and the cause, from its packets' headers and
 * its process's memory: a running count of lost and overwritten events, and the packets' numbers.
 * Called by stream.c for each packet, and by records.c for events read out of memory.
 */
#include <string.h>

#include "read/ctf/stream.h"

void ctf_gap_credit(struct ctf_stream *s, uint64_t events)
{
	struct ctf_credit *last = s->credits.count ? &s->credits.items[s->credits.count - 1] : NULL;

	if (last && last->sequence == s->sequence) {
		last->events += events;
	} else if (events) {
		vec_push(&s->credits, ((struct ctf_credit){ s->sequence, events }));
	}
}

static void remove_credits(struct ctf_stream *s, size_t from, size_t count)
{
	if (count) {
		memmove(s->credits.items + from, s->credits.items + from + count,
			(s->credits.count - from - count) * sizeof(*s->credits.items));
		s->credits.count -= count;
	}
}

void ctf_gap_found(struct ctf_stream *s, uint64_t sequence)
{
	for (size_t i = 0; i < s->credits.count; i++) {
		if (s->credits.items[i].sequence == sequence) {
			remove_credits(s, i, 1);
			return;
		}
	}
}

/*
 * Returns how many of the overwritten events were read out of memory before. The oldest are
 * overwritten first.
 */
static uint64_t take_credits(struct ctf_stream *s, uint64_t overwritten)
{
	uint64_t events = 0;
	size_t used = 0;

	while (used < s->credits.count && events < overwritten) {
		struct ctf_credit *c = &s->credits.items[used];
		uint64_t left = overwritten - events;
		uint64_t part = left < c->events ? left : c->events;

		events += part;
		c->events -= part;
		used += c->events == 0;
	}
	remove_credits(s, 0, used);
	return events;
}

/* Sets the events that are missing when the stream's counter has reached `discarded`. */
static void note_events(struct ctf_stream *s, uint64_t discarded)
{
	uint64_t more = discarded > s->discarded ? discarded - s->discarded : 0;
	uint64_t overwritten = s->overwritten < more ? s->overwritten : more;

	s->gap = (struct losses){
		.lost = more - overwritten,
		.overwritten = overwritten - take_credits(s, overwritten),
	};
	s->discarded += more;
}

/* True if its process uses full=overwrite, and so counts the events of overwritten packets. */
static bool overwrites(const struct ctf_trace *t)
{
	return t->buffer && buffer_source_header(t->buffer)->overwrite;
}

/*
 * Sets the packets that are missing before the current one, and the cause of its missing events:
 * only full=overwrite counts events of packets that had been recorded.
 */
static void note_packets(struct ctf_stream *s, const struct ctf_trace *t, uint64_t packets)
{
	/* The packets may have been removed with a file of a rotated trace. */
	bool is_rotated = t->is_rotated && (s->number == 1 || !s->map);
	/* The packets before the overwritten ones are in another trace. */
	bool begins_overwritten = s->sequence == 0 && t->continues && t->overwrites;

	if (s->overwritten == CTF_UNKNOWN && !begins_overwritten &&
		(packets == 0 || is_rotated || s->has_broken)) {
		s->gap.lost += s->gap.overwritten;
		s->gap.overwritten = 0;
	}
	if (s->gap.overwritten == 0 && (is_rotated || !overwrites(t))) {
		*(is_rotated ? &s->gap.rotated : &s->gap.missing) = packets;
	}
}

/*
 * Returns the gap that a former reader left, if its packet has left memory meanwhile. A new gap
 * begins with the last event.
 */
static struct losses take_pending(struct ctf_stream *s)
{
	struct losses gap = s->has_gap ? s->gap : (struct losses){ 0 };

	if (!s->has_gap) {
		s->gap_from = s->sequence ? s->ticks : CTF_UNKNOWN;
	}
	s->has_gap = false;
	return gap;
}

/* A stream that continues another trace's may begin with any packet. */
void ctf_gap_note(struct ctf_stream *s, const struct ctf_trace *t)
{
	const struct packet_header *h = &s->header;
	bool is_next = h->sequence > s->sequence;
	bool is_gap = is_next && (s->sequence || !t->continues);
	/* The last packet was read while open, and its file is gone: its end is unknown. */
	bool lacks_end = s->is_open && t->buffer && !overwrites(t);
	uint64_t packets = is_gap ? h->sequence - s->sequence - 1 + lacks_end : 0;

	const struct losses pending = take_pending(s);

	note_events(s, h->events_discarded);
	note_packets(s, t, packets);
	s->sequence = is_next ? h->sequence : s->sequence;
	if (s->is_new) {
		s->gap = (struct losses){ 0 };
		s->is_new = false;
	}
	losses_add(&s->gap, &pending);
	s->has_gap = losses_events(&s->gap) || losses_packets(&s->gap);
	s->has_broken = false;
}

enum ctf_step ctf_gap_trailing(struct ctf_stream *s, const struct ctf_trace *t)
{
	const struct losses pending = take_pending(s);
	struct buffer_counts counts = { 0 };

	if (t->buffer) {
		counts = buffer_source_counts(t->buffer, s->instance);
	}
	s->overwritten = counts.evicted - s->evicted;
	s->evicted = counts.evicted;
	note_events(s, counts.lost + counts.evicted);
	losses_add(&s->gap, &pending);
	/* Without a packet, the stream began at any time since its trace began. */
	s->gap_from = s->gap_from == CTF_UNKNOWN ? s->ticks : s->gap_from;
	return losses_events(&s->gap) || losses_packets(&s->gap) ? CTF_TRAILING_GAP : CTF_LAST;
}
