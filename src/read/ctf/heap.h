/* SPDX-License-Identifier: MIT */
/*
 * The heap of a native trace's streams, ordered by the time of their next event. The current stream
 * is always its first. Inlined into records.c, whose loops run once for each event.
 */
#ifndef READ_CTF_HEAP_H
#define READ_CTF_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/ctf/ctf.h"

static inline bool heap_is_before(const struct ctf_waiting *a, const struct ctf_waiting *b)
{
	return a->ticks < b->ticks || (a->ticks == b->ticks && a->stream < b->stream);
}

/* Returns the last time of a stream's packet in the section. */
static inline uint64_t heap_last(const struct ctf_reader *r, const struct ctf_stream *s)
{
	return s->last_ticks < r->until ? s->last_ticks : r->until - 1;
}

/* Restores the heap's order after the first stream's time changed; sets `current` and `limit`. */
static inline void heap_sift(struct ctf_reader *r)
{
	struct ctf_waiting *h = r->heap.items;
	size_t count = r->heap.count;
	size_t at = 0;

	for (size_t child = 1; child < count; child = 2 * at + 1) {
		child += child + 1 < count && heap_is_before(&h[child + 1], &h[child]);
		if (!heap_is_before(&h[child], &h[at])) {
			break;
		}
		struct ctf_waiting moved = h[at];

		h[at] = h[child];
		h[child] = moved;
		at = child;
	}
	struct ctf_stream *s = count > 0 ? h[0].stream : NULL;

	r->current = s;
	if (!s) {
		return;
	}
	r->limit = heap_last(r, s);
	if (count > 1 && !r->needs.any_order) {
		const struct ctf_waiting *second =
			count > 2 && heap_is_before(&h[2], &h[1]) ? &h[2] : &h[1];
		uint64_t limit = second->ticks;

		if (limit <= r->limit) {
			r->limit = limit - (limit > 0 && second->stream < s);
		}
	}
}

/* Two threads that alternate are the worst case, and a common one. */
static inline void heap_set_time_of_two(struct ctf_reader *r, uint64_t ticks)
{
	struct ctf_waiting *h = r->heap.items;
	struct ctf_waiting one = { ticks, h[0].stream };
	struct ctf_waiting two = h[1];
	bool stays = heap_is_before(&one, &two);
	struct ctf_stream *s = stays ? one.stream : two.stream;
	uint64_t limit = stays ? two.ticks : ticks;

	h[0] = stays ? one : two;
	h[1] = stays ? two : one;
	limit -= limit > 0 && h[1].stream < s;
	r->current = s;
	r->limit = limit < heap_last(r, s) ? limit : heap_last(r, s);
}

/* Sets the time of the current stream's next event. Another stream may become the current one. */
static inline void heap_set_time(struct ctf_reader *r, uint64_t ticks)
{
	if (r->heap.count == 2 && !r->needs.any_order) {
		heap_set_time_of_two(r, ticks);
		return;
	}
	r->heap.items[0].ticks = ticks;
	heap_sift(r);
}

static inline void heap_push(struct ctf_reader *r, struct ctf_stream *s)
{
	struct ctf_waiting w = { s->ticks, s };
	size_t at = r->heap.count;

	s->is_waiting = true;
	vec_push(&r->heap, w);
	while (at > 0 && r->heap.items[(at - 1) / 2].ticks > w.ticks) {
		r->heap.items[at] = r->heap.items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	r->heap.items[at] = w;
}

#endif
