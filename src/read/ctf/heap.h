/* SPDX-License-Identifier: MIT */
/*
 * The heap of ctf.c: the streams of a trace, the one with the earliest event
 * first; and `limit`, up to which that one may go on without a look at it.
 */
#ifndef READ_CTF_HEAP_H
#define READ_CTF_HEAP_H

#include "read/ctf/ctf.h"

static inline bool is_before(const struct ctf_waiting *a, const struct ctf_waiting *b)
{
	return a->ticks < b->ticks || (a->ticks == b->ticks && a->stream < b->stream);
}

/* The second of the heap: who is next when the first has waited long enough. */
static inline const struct ctf_waiting *second(const struct ctf_reader *r)
{
	const struct ctf_waiting *h = r->heap.items;

	if (r->heap.count < 2) {
		return NULL;
	}
	return r->heap.count > 2 && is_before(&h[2], &h[1]) ? &h[2] : &h[1];
}

static inline void set_limit(struct ctf_reader *r)
{
	struct ctf_stream *s = r->current;
	const struct ctf_waiting *other = second(r);
	uint64_t limit = s->last_ticks;

	if (other && other->ticks <= limit) {
		limit = other->ticks;
		limit -= limit > 0 && other->stream < s;
	}
	r->limit = limit;
}

static inline void sift(struct ctf_reader *r)
{
	struct ctf_waiting *h = r->heap.items;
	size_t count = r->heap.count;
	size_t at = 0;

	for (size_t child = 1; child < count; child = 2 * at + 1) {
		child += child + 1 < count && is_before(&h[child + 1], &h[child]);
		if (!is_before(&h[child], &h[at])) {
			break;
		}
		struct ctf_waiting moved = h[at];

		h[at] = h[child];
		h[child] = moved;
		at = child;
	}
	r->current = count > 0 ? h[0].stream : NULL;
	if (r->current) {
		set_limit(r);
	}
}

/* Two threads that take turns are the worst case, and a common one. */
static inline void set_time_of_two(struct ctf_reader *r, uint64_t ticks)
{
	struct ctf_waiting *h = r->heap.items;
	struct ctf_waiting one = { ticks, h[0].stream };
	struct ctf_waiting two = h[1];
	bool stays = is_before(&one, &two);
	struct ctf_stream *s = stays ? one.stream : two.stream;
	uint64_t limit = stays ? two.ticks : ticks;

	h[0] = stays ? one : two;
	h[1] = stays ? two : one;
	limit -= limit > 0 && h[1].stream < s;
	r->current = s;
	r->limit = limit < s->last_ticks ? limit : s->last_ticks;
}

static inline void set_time(struct ctf_reader *r, uint64_t ticks)
{
	if (r->heap.count == 2) {
		set_time_of_two(r, ticks);
		return;
	}
	r->heap.items[0].ticks = ticks;
	sift(r);
}

#endif
