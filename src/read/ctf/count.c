/* SPDX-License-Identifier: MIT */
/*
 * Counts plain events of the current stream without making records of them, for reader_count().
 */
#include "read/ctf/ctf.h"
#include "read/ctf/walk.h"

/* Looks at this many events at a time. */
#define COUNT_STEP 4

/*
 * Passes events of one class and known size, and returns their number. Within `limit` the words of
 * one number are in the order of their times, except around the moment when the recorded part of
 * the clock begins anew, which is left to the caller.
 */
static inline uint64_t count_alike(struct event_run *run, size_t size, uint64_t id, uint64_t last)
{
	const size_t step = align_event(size);
	const unsigned char *begin = run->p;

	while (left_of(run) >= COUNT_STEP * step) {
		uint64_t a = load64(run->p, false);
		uint64_t b = load64(run->p + step, false);
		uint64_t c = load64(run->p + 2 * step, false);
		uint64_t d = load64(run->p + 3 * step, false);
		bool is_sorted = (last <= a) & (a <= b) & (b <= c) & (c <= d);
		bool is_alike = (((a ^ id) | (b ^ id) | (c ^ id) | (d ^ id)) & ID_MASK) == 0;
		uint64_t ticks = event_ticks(d, own_order, run->before);

		if (UNLIKELY(!(is_sorted & is_alike)) || ticks > run->limit) {
			break;
		}
		run->before = ticks;
		run->p += COUNT_STEP * step;
		last = d;
		__builtin_prefetch((const void *)((uintptr_t)run->p + AHEAD));
	}
	return (uint64_t)(run->p - begin) / step;
}

/* Adds an event to the last run, or begins another one; returns the runs' end. */
static inline struct record_tally *count_one(
	const struct event_run *run, struct record_tally *at, const struct event_class *class)
{
	if (at->class != class) {
		at += at->events > 0;
		*at = (struct record_tally){
			.class = class,
			.pid = run->head.pid,
			.tid = run->head.tid,
			.trace = run->head.trace,
			.first_ns = run_ns(run, run->before),
		};
	}
	at->events++;
	return at;
}

/*
 * Counts the current stream's plain events, while it has the earliest. Must find unusual what
 * take_run() finds unusual.
 */
size_t ctf_count_own(struct reader *base, struct record_tally *runs, size_t room)
{
	struct ctf_reader *r = (struct ctf_reader *)base;
	struct ctf_stream *const s = r->current;
	struct record_tally *at = runs;

	if (!s || s->has_gap || room == 0) {
		return 0;
	}
	struct event_run run = begin_run(r, s);

	*at = (struct record_tally){ 0 };
	while (left_of(&run) >= WORD) {
		size_t left = left_of(&run);
		uint64_t word = load64(run.p, false);
		uint64_t id = word & ID_MASK;
		uint64_t ticks = event_ticks(word, own_order, run.before);

		if (ticks > run.limit || id >= r->slots.count) {
			break;
		}
		const struct ctf_slot *slot = &r->slots.items[id];
		size_t size = slot->size ? slot->size : varying_size(slot, run.p, left, false);

		bool is_full = at->events && at->class != slot->class && at + 1 == runs + room;

		if (size > left || slot->is_skipped || slot->is_own || is_full) {
			break;
		}
		run.before = ticks;
		run.p += align_event(size) < left ? align_event(size) : left;
		at = count_one(&run, at, slot->class);
		if (slot->size) {
			at->events += count_alike(&run, size, id, word);
		}
		at->last_ns = run_ns(&run, run.before);
	}
	s->pos = run.p;
	s->ticks = run.before;
	return (size_t)(at - runs) + (at->events > 0);
}
