/* SPDX-License-Identifier: MIT */
/*
 * Moves the streams of a native trace to a section of its time: packets and events before it are
 * passed. A gap belongs to the packet that follows it. records.c ends at the section's end, with
 * all streams as they are, so that a later section continues there.
 */
#include "read/ctf/heap.h"
#include "read/ctf/walk.h"

/* Passes the events of the stream's packet before the section; ends at one that is wrong. */
static void pass_before(const struct ctf_reader *r, struct ctf_stream *s)
{
	const struct word_order order = { r->trace.swap, r->id_shift, r->time_shift };

	while (s->end - s->pos >= (ptrdiff_t)WORD) {
		size_t left = (size_t)(s->end - s->pos);
		uint64_t word = load64(s->pos, order.swap);
		uint64_t id = word >> order.id_shift & ID_MASK;
		uint64_t ticks = event_ticks(word, order, s->ticks);

		if (ticks >= r->from || id >= r->slots.count || !r->slots.items[id].class) {
			break;
		}
		const struct ctf_slot *slot = &r->slots.items[id];
		size_t size =
			slot->size ? slot->size : varying_size(slot, s->pos, left, order.swap);

		if (size > left) {
			break;
		}
		s->pos += align_event(size) < left ? align_event(size) : left;
		s->ticks = ticks;
	}
}

void ctf_section_enter(const struct ctf_reader *r, struct ctf_stream *s)
{
	if (!s->packet || s->header.timestamp_begin >= r->from) {
		return;
	}
	s->has_gap = false;
	if (s->last_ticks < r->from) {
		s->pos = s->end;
	} else {
		pass_before(r, s);
	}
}

/* Returns a section's bound in ticks. Tick 0 is in the first section, which has no first time. */
static uint64_t bound(const struct ctf_reader *r, int64_t ns)
{
	uint64_t ticks = ctf_ticks(r, ns);

	return ticks > 0 ? ticks : 1;
}

/* Moves all streams to a section, each to where its first packet may be, if it was not begun. */
static void enter_all(struct ctf_reader *r, uint64_t ticks)
{
	size_t count = r->heap.count;

	/* Makes the heap anew, of the streams in it: a push only moves those before it. */
	r->heap.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct ctf_stream *s = r->heap.items[i].stream;

		if (ticks > 0) {
			ctf_seek(r, s, ticks);
		}
		ctf_section_enter(r, s);
		heap_push(r, s);
	}
	heap_sift(r);
}

void ctf_section(struct reader *base, int64_t from_ns, int64_t until_ns)
{
	struct ctf_reader *r = (struct ctf_reader *)base;

	r->is_divided = true;
	r->from = from_ns == INT64_MIN ? 0 : bound(r, from_ns);
	r->until = until_ns == INT64_MAX ? UINT64_MAX : bound(r, until_ns);
	enter_all(r, r->from);
}

void ctf_limit(struct reader *base, const struct reader_needs *needs)
{
	struct ctf_reader *r = (struct ctf_reader *)base;

	r->needs = *needs;
	r->needs.any_order &= !r->follow.is_on; /* its rounds end by time */
	ctf_bind_needs(r);
	if (needs->is_part && needs->from_ns != INT64_MIN) {
		enter_all(r, ctf_ticks(r, needs->from_ns));
	}
}
