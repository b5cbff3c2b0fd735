/* SPDX-License-Identifier: MIT */
/*
 * Walks a cursor's packets for drain.c: the next record, and the closing of packets whose thread is
 * quiet or has ended.
 *
 * The acquire of content_size pairs with the release that commits an event, that of `next` and
 * `first` with the release that opens a packet: so once the next packet is seen, the content_size
 * of the packet before is final.
 */
#include <string.h>

#include "format/packet.h"
#include "rt/record/close.h"
#include "rt/simple/input.h"

/* Moves to the beginning of a packet, and notes the losses before it from its header. */
static void enter_packet(struct buffer *b, struct cursor *c, uint32_t subbuf)
{
	const struct packet_header *h = packet_at(b, subbuf);
	struct simple_input *in = simple_input(c);
	struct draining *d = &c->draining;

	d->subbuf = subbuf;
	d->taken = false;
	d->closing_ns = 0;
	in->pos = in->end = (char *)(h + 1);
	if (h->events_discarded > d->discarded) {
		in->gap += h->events_discarded - d->discarded;
		d->discarded = h->events_discarded;
	}
	if (h->timestamp_begin > in->ticks) {
		in->ticks = h->timestamp_begin;
	}
}

/* Reads how far the packet is published; returns whether that is further than was read. */
static bool see_more(struct buffer *b, struct cursor *c)
{
	const struct packet_header *h = packet_at(b, c->draining.subbuf);
	struct simple_input *in = simple_input(c);

	in->end = (char *)h + __atomic_load_n(&h->content_size, __ATOMIC_ACQUIRE) / 8;
	return in->pos < in->end;
}

/* Leaves a packet that was read for the next one; returns false if there is none yet. */
static bool leave_packet(struct recorder *owner, struct cursor *c)
{
	struct buffer *b = recorder_buffer(owner);
	uint32_t done = c->draining.subbuf;
	uint32_t next = c->draining.taken ? 0 : packet_next(b, done);

	if (!next) {
		next = cursor_first(c);
	}
	c->draining.subbuf = 0;
	if (next) {
		enter_packet(b, c, next);
	}
	waymark_recorder_free(owner, done);
	return next != 0;
}

bool waymark_simple_find(struct recorder *owner, struct cursor *c)
{
	struct buffer *b = recorder_buffer(owner);
	const struct simple_input *in = simple_input(c);
	const struct draining *d = &c->draining;

	if (!d->subbuf) {
		uint32_t first = cursor_first(c);

		if (!first) {
			return false;
		}
		enter_packet(b, c, first);
	}
	while (in->pos >= in->end && !see_more(b, c)) {
		if (!d->taken && !packet_is_closed(b, d->subbuf)) {
			return false;
		}
		if (!see_more(b, c) && !leave_packet(owner, c)) {
			return false;
		}
	}
	return true;
}

void waymark_simple_close(struct cursor *c, uint64_t now_ns)
{
	uint64_t end;

	if (!c->draining.closing_ns) {
		waymark_close_begin(c, now_ns);
	} else if (now_ns - c->draining.closing_ns >= CLOSE_SETTLE_NS) {
		c->draining.closing_ns = 0;
		c->draining.taken = waymark_close_take(c, &end);
	}
}
