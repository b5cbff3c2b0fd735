/* SPDX-License-Identifier: MIT */
/*
 * Merging streams by time. Most events come in runs of one stream: as long as
 * its time does not pass `limit`, the next one's, a record costs a look at its
 * first word. All else (the packet's end, another stream's turn, whatever is
 * wrong) is out of the loop. Invariant: the stream at hand is the heap's first.
 */
#include "read/ctf/ctf.h"

#include <inttypes.h>
#include <stdio.h>

#include "format/packet.h"
#include "read/bytes.h"
#include "read/ctf/heap.h"

#define WORD sizeof(uint64_t)
#define ID_MASK ((UINT64_C(1) << PACKET_ID_BITS) - 1)

void ctf_sift(struct ctf_reader *r)
{
	sift(r);
}

static inline void set_record(
	struct ctf_reader *r, struct record *rec, const struct ctf_stream *s, uint64_t ticks)
{
	rec->pid = r->metadata.pid;
	rec->tid = s->tid;
	rec->trace = 0;
	rec->ns = ctf_ns(r, ticks);
}

static enum read_result gap(struct ctf_reader *r, struct record *rec, struct ctf_stream *s)
{
	s->has_gap = false;
	rec->kind = RECORD_GAP;
	rec->gap = s->gap;
	rec->class = NULL;
	rec->offset = s->packet_offset;
	set_record(r, rec, s, s->ticks);
	return READ_RECORD;
}

/* A loss that was noticed now: it is not older than what was told before. */
static enum read_result trailing_gap(struct ctf_reader *r, struct record *rec, struct ctf_stream *s)
{
	gap(r, rec, s);
	if (s->ticks < r->follow.told) {
		rec->ns = ctf_ns(r, r->follow.told);
	}
	return READ_RECORD;
}

/* The stream has no more to say; the heap's next one takes over. */
static void leave(struct ctf_reader *r, struct ctf_stream *s)
{
	ctf_stream_rest(s);
	s->is_waiting = false;
	r->heap.items[0] = r->heap.items[--r->heap.count];
	ctf_sift(r);
}

static enum read_result next_packet(struct ctf_reader *r, struct record *rec, struct ctf_stream *s)
{
	ctf_follow_count(r, s);
	switch (ctf_stream_next(s, &r->trace, &r->base.error)) {
	case CTF_PACKET:
		set_time(r, s->ticks);
		return CTF_LOOK_AGAIN;
	case CTF_TRAILING_GAP:
		return trailing_gap(r, rec, s);
	case CTF_BROKEN:
		if (s->pos) {
			set_time(r, s->ticks);
		}
		return READ_PROBLEM;
	case CTF_SKIPPED:
		return ctf_files_list(r, &r->base.error) ? CTF_LOOK_AGAIN : READ_DAMAGED;
	case CTF_LAST:
		break;
	}
	leave(r, s);
	return CTF_LOOK_AGAIN;
}

/* The packet's events are read, or as many of them as are there. */
static enum read_result end_packet(struct ctf_reader *r, struct record *rec, struct ctf_stream *s)
{
	if (!s->is_cut) {
		return next_packet(r, rec, s);
	}
	uint64_t content = s->header.content_size / 8;
	uint64_t there = (uint64_t)(s->end - s->packet);

	s->is_cut = false;
	s->pos = s->end;
	ctf_stream_fail(s, &r->base.error, "cut: %" PRIu64 " of its %" PRIu64 " bytes are missing",
		content - there, content);
	return READ_PROBLEM;
}

/* Nothing can be said of the rest of a packet in which one event is wrong. */
static enum read_result skip_packet(struct ctf_reader *r, struct ctf_stream *s, const char *why)
{
	uint64_t at = ctf_stream_offset(s, s->pos);
	size_t left = (size_t)(s->end - s->pos);

	s->pos = s->end;
	s->is_cut = false;
	s->packet = NULL; /* nor of what is recorded behind it */
	ctf_stream_fail(s, &r->base.error,
		"the event at byte %" PRIu64 " %s; the last %zu bytes of the packet are left out",
		at, why, left);
	return READ_PROBLEM;
}

static enum read_result unknown_event(struct ctf_reader *r, struct ctf_stream *s, uint64_t id)
{
	char why[80];

	if (ctf_look_again(r) && id < r->slots.count && r->slots.items[id].class) {
		return CTF_LOOK_AGAIN;
	}
	if (ctf_follow_waits(r, s)) {
		ctf_stream_hold(s);
		leave(r, s);
		return CTF_LOOK_AGAIN;
	}
	snprintf(why, sizeof(why), "has the number %" PRIu64 ", which no event of the metadata has",
		id);
	return skip_packet(r, s, why);
}

/*
 * What is wrong with the metadata, or missing of the files: said once each,
 * before the first event.
 */
static bool tell_problem(struct ctf_reader *r)
{
	if (r->problems_told >= r->metadata.problems.count) {
		return false;
	}
	read_error_set(&r->base.error, "%s", r->metadata.problems.items[r->problems_told++]);
	return true;
}

/* Why the loop could not go on, and what to do about it. */
static COLD enum read_result turn(struct ctf_reader *r, struct record *rec)
{
	struct ctf_stream *s = r->current;

	if (tell_problem(r)) {
		return READ_PROBLEM;
	}
	if (!s || s == &r->follow.horizon) {
		return ctf_follow_turn(r);
	}
	if (s->has_gap) {
		return gap(r, rec, s);
	}
	if (s->end - s->pos < (ptrdiff_t)WORD) {
		return end_packet(r, rec, s);
	}
	uint64_t word = load64(s->pos, r->trace.swap);
	uint64_t id = word >> r->id_shift & ID_MASK;
	uint64_t ticks = s->ticks + (((word >> r->time_shift) - s->ticks) & PACKET_CLOCK_MASK);

	if (id >= r->slots.count || !r->slots.items[id].class) {
		return unknown_event(r, s, id);
	}
	if (ticks > s->last_ticks) {
		return skip_packet(r, s, "is later than the packet's end");
	}
	if (ticks > r->limit) {
		set_time(r, ticks);
		return CTF_LOOK_AGAIN;
	}
	if (s->is_cut) {
		return end_packet(r, rec, s);
	}
	return skip_packet(r, s, "is longer than the packet");
}

/* What a record takes, whose strings decide that; more than is there when they do not fit. */
static inline size_t measure(
	const struct event_class *class, const unsigned char *p, size_t left, bool swap)
{
	size_t size = layout_measure(class->layout, p + WORD, left - WORD, swap);

	return UNLIKELY(size > left - WORD) ? SIZE_MAX : WORD + size;
}

static inline size_t align_record(size_t size)
{
	return (size + PACKET_EVENT_ALIGN - 1) & ~(size_t)(PACKET_EVENT_ALIGN - 1);
}

/* Takes the current stream's next event, whose time is set, of `size` bytes and `step` to the next
 * one. */
static inline void take(struct ctf_reader *r, struct record *rec, const struct event_class *class,
	size_t size, size_t step)
{
	struct ctf_stream *s = r->current;
	const unsigned char *p = s->pos;

	s->pos = p + step;
	rec->kind = RECORD_EVENT;
	rec->offset = ctf_stream_offset(s, p);
	rec->class = class;
	rec->values = NULL;
	rec->payload = p + WORD;
	rec->payload_size = size - WORD;
	set_record(r, rec, s, s->ticks);
}

/* How an event's first word is to be read; a constant where speed counts. */
struct word_order {
	bool swap;
	uint8_t id_shift;
	uint8_t time_shift;
};

/* The next event, if it is the current stream's turn and its record has a known size. */
static inline bool take_plain(struct ctf_reader *r, struct record *rec, struct word_order order)
{
	struct ctf_stream *s = r->current;

	if (UNLIKELY(!s || s->end - s->pos < (ptrdiff_t)WORD)) {
		return false;
	}
	uint64_t word = load64(s->pos, order.swap);
	uint64_t id = word >> order.id_shift & ID_MASK;
	uint64_t ticks = s->ticks + (((word >> order.time_shift) - s->ticks) & PACKET_CLOCK_MASK);

	if (UNLIKELY(ticks > r->limit || id >= r->slots.count || s->has_gap)) {
		return false;
	}
	const struct ctf_slot *slot = &r->slots.items[id];

	size_t step = align_record(slot->size);

	/* 0, for a size that varies, becomes the largest number here. */
	if (UNLIKELY(step - 1 >= (size_t)(s->end - s->pos))) {
		return false;
	}
	s->ticks = ticks;
	take(r, rec, slot->class, slot->size, step);
	return true;
}

/* The same for events whose strings decide their size, and for another stream's turn. */
static __attribute__((noinline)) enum read_result next_slowly(
	struct ctf_reader *r, struct record *rec, bool swap)
{
	const struct word_order order = { swap, r->id_shift, r->time_shift };
	enum read_result result = CTF_LOOK_AGAIN;

	while (result == CTF_LOOK_AGAIN) {
		struct ctf_stream *s = r->current;

		if (UNLIKELY(!s || s->has_gap || s->end - s->pos < (ptrdiff_t)WORD)) {
			result = turn(r, rec);
			continue;
		}
		size_t left = (size_t)(s->end - s->pos);
		uint64_t word = load64(s->pos, swap);
		uint64_t id = word >> r->id_shift & ID_MASK;
		uint64_t ticks =
			s->ticks + (((word >> r->time_shift) - s->ticks) & PACKET_CLOCK_MASK);

		if (ticks > r->limit && ticks <= s->last_ticks) {
			set_time(r, ticks);
			if (LIKELY(take_plain(r, rec, order))) {
				return READ_RECORD;
			}
			continue;
		}
		if (UNLIKELY(ticks > r->limit || id >= r->slots.count)) {
			result = turn(r, rec);
			continue;
		}
		const struct ctf_slot *slot = &r->slots.items[id];
		size_t size = slot->size ? slot->size : measure(slot->class, s->pos, left, swap);

		if (UNLIKELY(size > left)) {
			result = turn(r, rec);
			continue;
		}
		size_t step = align_record(size);

		s->ticks = ticks;
		take(r, rec, slot->class, size, step < left ? step : left);
		return READ_RECORD;
	}
	return result;
}

static inline enum read_result ctf_next(
	struct ctf_reader *r, struct record *rec, struct word_order order)
{
	return LIKELY(take_plain(r, rec, order)) ? READ_RECORD : next_slowly(r, rec, order.swap);
}

enum read_result ctf_next_own(struct reader *base, struct record *rec)
{
	const struct word_order order = { false, 0, PACKET_ID_BITS };

	return ctf_next((struct ctf_reader *)base, rec, order);
}

enum read_result ctf_next_any(struct reader *base, struct record *rec)
{
	struct ctf_reader *r = (struct ctf_reader *)base;
	const struct word_order order = { base->swap, r->id_shift, r->time_shift };

	return ctf_next(r, rec, order);
}

const struct value *ctf_decode(struct reader *base, const struct record *rec)
{
	layout_decode(rec->class->layout, base->values, rec->payload, base->swap);
	return base->values;
}
