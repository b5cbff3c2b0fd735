/* SPDX-License-Identifier: MIT */
/*
 * What is missing of a stream, and why, as far as its packets' headers and its
 * process's memory tell: one running count for events that found no room and
 * those that full=overwrite gave up, and the numbers of the packets.
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
 * Of so many events more that their stream has lost, those that we have: they
 * were read out of memory before full=overwrite gave them up, the oldest first.
 */
static uint64_t known(struct ctf_stream *s, uint64_t given_up)
{
	uint64_t events = 0;
	size_t used = 0;

	while (used < s->credits.count && events < given_up) {
		struct ctf_credit *c = &s->credits.items[used];
		uint64_t part = given_up - events < c->events ? given_up - events : c->events;

		events += part;
		c->events -= part;
		used += c->events == 0;
	}
	remove_credits(s, 0, used);
	return events;
}

/* Sets which events are missing until the stream's counter said `discarded`. */
static void note_events(struct ctf_stream *s, uint64_t discarded)
{
	uint64_t more = discarded > s->discarded ? discarded - s->discarded : 0;
	uint64_t given_up = s->given_up < more ? s->given_up : more;

	s->gap = (struct losses){
		.lost = more - given_up,
		.overwritten = given_up - known(s, given_up),
	};
	s->discarded += more;
}

/* Whether packets that are missing before this one may have been removed with their piece. */
static bool follows_a_piece(const struct ctf_stream *s, const struct ctf_trace *t)
{
	return t->is_rotated && (s->number == 1 || !s->map);
}

/* Whether the process says that it gives packets up, whose events it counts. */
static bool gives_up(const struct ctf_trace *t)
{
	return t->buffer && buffer_source_header(t->buffer)->overwrite;
}

/*
 * Whether packets before this one were given up: what another trace had of the
 * stream was written.
 */
static bool begins_overwriting(const struct ctf_stream *s, const struct ctf_trace *t)
{
	return s->sequence == 0 && t->continues && t->overwrites;
}

/*
 * Sets which packets are missing before the one at hand, and what became of the
 * events that it counts: full=overwrite counts those of the packets that it gives
 * up, nobody else counts events of packets that had been recorded.
 */
static void note_packets(struct ctf_stream *s, const struct ctf_trace *t, uint64_t packets)
{
	bool is_rotated = follows_a_piece(s, t);

	if (s->given_up == CTF_UNTOLD && !begins_overwriting(s, t) &&
		(packets == 0 || is_rotated || s->has_broken)) {
		s->gap.lost += s->gap.overwritten;
		s->gap.overwritten = 0;
	}
	if (s->gap.overwritten == 0 && (is_rotated || !gives_up(t))) {
		*(is_rotated ? &s->gap.rotated : &s->gap.missing) = packets;
	}
}

/*
 * Whether the last packet was read out of memory before it was closed, and its
 * file is gone meanwhile: nobody knows what came to it.
 */
static bool lacks_end(const struct ctf_stream *s, const struct ctf_trace *t)
{
	return s->is_open && t->buffer && !gives_up(t);
}

/*
 * What is missing before the packet: before the first one, since the trace's begin,
 * unless it goes on with what another one has begun.
 */
void ctf_gap_note(struct ctf_stream *s, const struct ctf_trace *t)
{
	const struct packet_header *h = &s->header;
	bool is_next = h->sequence > s->sequence;
	bool is_gap = is_next && (s->sequence || !t->continues);
	uint64_t packets = is_gap ? h->sequence - s->sequence - 1 + lacks_end(s, t) : 0;

	note_events(s, h->events_discarded);
	note_packets(s, t, packets);
	s->sequence = is_next ? h->sequence : s->sequence;
	if (s->is_new) {
		s->gap = (struct losses){ 0 };
		s->is_new = false;
	}
	s->has_gap = losses_events(&s->gap) || losses_packets(&s->gap);
	s->has_broken = false;
}

/* Events that were lost behind the last packet: only the process's table tells. */
enum ctf_step ctf_gap_trailing(struct ctf_stream *s, const struct ctf_trace *t)
{
	struct buffer_counts counts = { 0 };

	s->has_gap = false;
	if (t->buffer) {
		counts = buffer_source_counts(t->buffer, s->instance);
	}
	s->given_up = counts.evicted - s->evicted;
	s->evicted = counts.evicted;
	note_events(s, counts.lost + counts.evicted);
	return losses_events(&s->gap) ? CTF_TRAILING_GAP : CTF_LAST;
}
