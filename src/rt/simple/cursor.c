/* SPDX-License-Identifier: MIT */
/*
 * See cursor.h. The acquire of content_size pairs with the release that commits
 * an event, that of `next` and `first` with the release that opens a packet: so
 * once the next packet is seen, the former's content_size is final.
 */
#include <string.h>

#include "format/packet.h"
#include "rt/record/close.h"
#include "rt/simple/cursor.h"

/* Goes to the begin of a packet, and notes what its header says was lost before it. */
static void enter_packet(struct buffer *a, struct reader *r, uint32_t subbuf)
{
	const struct packet_header *h = packet_at(a, subbuf);

	r->subbuf = subbuf;
	r->taken = false;
	r->closing_ns = 0;
	r->pos = r->end = (char *)(h + 1);
	if (h->events_discarded > r->discarded) {
		r->gap += h->events_discarded - r->discarded;
		r->discarded = h->events_discarded;
	}
	if (h->timestamp_begin > r->ticks) {
		r->ticks = h->timestamp_begin;
	}
}

/* Looks how far the packet is published; whether that is more than was read. */
static bool see_more(struct buffer *a, struct reader *r)
{
	const struct packet_header *h = packet_at(a, r->subbuf);

	r->end = (char *)h + __atomic_load_n(&h->content_size, __ATOMIC_ACQUIRE) / 8;
	return r->pos < r->end;
}

/* Goes on behind a packet that was read; false where there is nothing yet. */
static bool leave_packet(struct recorder *owner, struct cursor *c)
{
	struct buffer *a = recorder_buffer(owner);
	uint32_t done = c->reader.subbuf;
	uint32_t next = c->reader.taken ? 0 : packet_next(a, done);

	if (!next) {
		next = cursor_first(c);
	}
	c->reader.subbuf = 0;
	if (next) {
		enter_packet(a, &c->reader, next);
	}
	waymark_recorder_free(owner, done);
	return next != 0;
}

bool waymark_simple_find(struct recorder *owner, struct cursor *c)
{
	struct buffer *a = recorder_buffer(owner);
	struct reader *r = &c->reader;

	if (!r->subbuf) {
		uint32_t first = cursor_first(c);

		if (!first) {
			return false;
		}
		enter_packet(a, r, first);
	}
	while (r->pos >= r->end && !see_more(a, r)) {
		if (!r->taken && !packet_is_closed(a, r->subbuf)) {
			return false;
		}
		if (!see_more(a, r) && !leave_packet(owner, c)) {
			return false;
		}
	}
	return true;
}

uint64_t waymark_simple_ticks(const struct reader *r)
{
	uint64_t word;

	memcpy(&word, r->pos, sizeof(word));
	int64_t step = (int64_t)((word & ~UINT64_C(0xffff)) - (r->ticks << 16)) >> 16;

	return step > 0 ? r->ticks + (uint64_t)step : r->ticks;
}

void waymark_simple_close(struct cursor *c, uint64_t now_ns)
{
	uint64_t end;

	if (!c->reader.closing_ns) {
		waymark_close_begin(c, now_ns);
	} else if (now_ns - c->reader.closing_ns >= CLOSE_SETTLE_NS) {
		c->reader.closing_ns = 0;
		c->reader.taken = waymark_close_take(c, &end);
	}
}
