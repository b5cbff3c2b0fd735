/* SPDX-License-Identifier: MIT */
/*
 * Merges a native trace's streams by time in a heap. Most events come in runs of one stream: until
 * its time passes `limit`, the next stream's time, a record costs one look at its first word.
 * Everything else (a packet's end, another stream's turn, an error) leaves that loop for turn().
 * Invariant: the current stream is the first of the heap. Implements the functions of struct
 * reader; open.c chooses among them.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/compiler.h"
#include "format/packet.h"
#include "read/bytes.h"
#include "read/ctf/ctf.h"
#include "read/ctf/heap.h"
#include "read/ctf/walk.h"

void ctf_records_begin(struct ctf_reader *r)
{
	const struct ctf_follow *f = &r->follow;

	r->heap.count = 0;
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		if (s->is_waiting || !f->is_on || ctf_follow_has_news(r, s)) {
			heap_push(r, s);
		}
	}
	if (f->is_on && !f->is_last && !f->is_leaving) {
		heap_push(r, &r->follow.horizon);
	}
	heap_sift(r);
}

/* Removes a stream without more events from the heap; the next one becomes the current stream. */
static void leave(struct ctf_reader *r, struct ctf_stream *s)
{
	ctf_stream_rest(s);
	s->is_waiting = false;
	r->heap.items[0] = r->heap.items[--r->heap.count];
	heap_sift(r);
}

/* ---- Plain events, in runs ---- */

/* Fills a record with the event at `p`, which has `size` bytes, and moves on by `step`. */
static inline void take(struct event_run *run, struct record *rec, const struct event_class *class,
	size_t size, size_t step)
{
	__builtin_prefetch((const void *)((uintptr_t)run->p + AHEAD));
	memcpy(rec, &run->head, sizeof(run->head));
	rec->ns = (uint64_t)run_ns(run, run->before);
	rec->offset = run->offset_of_0 + (uintptr_t)run->p;
	rec->class = class;
	rec->values = NULL;
	rec->payload = run->p + WORD;
	rec->payload_size = size - WORD;
	run->p += step;
}

/* Takes events of the last one's class, of a known size: finding the next needs no look-up. */
static inline struct record *take_alike(struct event_run *run, struct record *rec,
	const struct record *last, const struct ctf_slot *slot, uint64_t id)
{
	const struct event_class *class = slot->class;
	const size_t size = slot->size;
	const size_t step = align_event(size);

	for (; rec < last && left_of(run) >= step; rec++) {
		uint64_t word = load64(run->p, false);
		uint64_t ticks = event_ticks(word, own_order, run->before);

		if (UNLIKELY((word & ID_MASK) != id || ticks > run->limit)) {
			break;
		}
		run->before = ticks;
		take(run, rec, class, size, step);
	}
	return rec;
}

/* Passes events of the last one's class, which nobody needs, like take_alike(). */
static inline void skip_alike(struct event_run *run, size_t size, uint64_t id)
{
	const size_t step = align_event(size);

	while (left_of(run) >= step) {
		uint64_t word = load64(run->p, false);
		uint64_t ticks = event_ticks(word, own_order, run->before);

		if ((word & ID_MASK) != id || ticks > run->limit) {
			break;
		}
		run->before = ticks;
		run->p += step;
	}
}

/*
 * Takes plain events while the current stream has the earliest; returns the records' end. `only`:
 * of this class; NULL: of all.
 */
static INLINED struct record *take_run(struct ctf_reader *r, struct record *rec,
	const struct record *last, const struct event_class *only)
{
	struct ctf_stream *const s = r->current;

	if (UNLIKELY(!s || s->has_gap)) {
		return rec;
	}
	struct event_run run = begin_run(r, s);

	while (rec < last && left_of(&run) >= WORD) {
		size_t left = left_of(&run);
		uint64_t word = load64(run.p, false);
		uint64_t id = word & ID_MASK;
		uint64_t ticks = event_ticks(word, own_order, run.before);

		if (ticks > run.limit || UNLIKELY(id >= r->slots.count)) {
			break;
		}
		const struct ctf_slot *slot = &r->slots.items[id];
		size_t size = slot->size ? slot->size : varying_size(slot, run.p, left, false);

		if (UNLIKELY(size > left)) {
			break;
		}
		size_t step = align_event(size);

		run.before = ticks;
		if (slot->is_skipped || (only && slot->class != only)) {
			run.p += step < left ? step : left;
			if (slot->size) {
				skip_alike(&run, size, id);
			}
			continue;
		}
		take(&run, rec++, slot->class, size, step < left ? step : left);
		if (slot->size) {
			rec = take_alike(&run, rec, last, slot, id);
		}
	}
	s->pos = run.p;
	s->ticks = run.before;
	return rec;
}

/* True if another stream has the next event; that stream becomes the current one. */
static inline bool turn_to_next(struct ctf_reader *r, struct word_order order)
{
	const struct ctf_stream *s = r->current;

	if (!s || s->has_gap || s->end - s->pos < (ptrdiff_t)WORD) {
		return false;
	}
	uint64_t ticks = event_ticks(load64(s->pos, order.swap), order, s->ticks);

	if (ticks <= r->limit || ticks > s->last_ticks || ticks >= r->until) {
		return false;
	}
	heap_set_time(r, ticks);
	return true;
}

static INLINED size_t take_events(
	struct ctf_reader *r, const struct event_class *only, struct record *records, size_t room)
{
	const struct record *last = records + room;
	struct record *rec = records;

	do {
		rec = take_run(r, rec, last, only);
	} while (rec < last && turn_to_next(r, own_order));
	return (size_t)(rec - records);
}

size_t ctf_take_own(struct reader *base, struct record *records, size_t room)
{
	return take_events((struct ctf_reader *)base, NULL, records, room);
}

size_t ctf_take_of(
	struct reader *base, const struct event_class *class, struct record *records, size_t room)
{
	return take_events((struct ctf_reader *)base, class, records, room);
}

/* ---- Everything else ---- */

/* Returns the gap before the stream's packet, or after its last one. */
static enum read_result give_gap(struct ctf_reader *r, struct record *rec, struct ctf_stream *s)
{
	s->has_gap = false;
	*rec = (struct record){
		.kind = RECORD_GAP,
		.pid = r->metadata.pid,
		.tid = s->owner,
		.ns = ctf_ns(r, s->ticks),
		.offset = s->packet_offset,
		.gap = s->gap,
		.from_ns = s->gap_from == CTF_UNKNOWN ? 0 : ctf_ns(r, s->gap_from),
	};
	return READ_RECORD;
}

void ctf_records_credit(struct ctf_reader *r, struct ctf_stream *s)
{
	uint64_t events = 0;

	if (!s->packet || s->packet != s->copy ||
		!buffer_source_header(r->trace.buffer)->overwrite) {
		return;
	}
	for (const unsigned char *p = s->begin; p < s->pos; events++) {
		size_t left = (size_t)(s->pos - p);
		const struct ctf_slot *slot =
			&r->slots.items[load64(p, false) >> r->id_shift & ID_MASK];
		size_t size = slot->size ? slot->size : varying_size(slot, p, left, false);

		p += size < left && align_event(size) < left ? align_event(size) : left;
	}
	s->begin = s->pos;
	ctf_gap_credit(s, events);
}

/* True if an event of the packet may be needed. Only a closed packet shows its last time. */
static bool needs_packet(const struct ctf_reader *r, const struct ctf_stream *s)
{
	const struct reader_needs *n = &r->needs;
	bool needs_thread = n->tid_count == 0;

	for (size_t i = 0; i < n->tid_count && !needs_thread; i++) {
		needs_thread = n->tids[i] == s->tid;
	}
	return needs_thread && (int64_t)ctf_ns(r, s->ticks) <= n->to_ns &&
	       (s->header.timestamp_end > r->trace.last_ticks ||
		       (int64_t)ctf_ns(r, s->header.timestamp_end) >= n->from_ns);
}

static enum read_result next_packet(struct ctf_reader *r, struct record *rec, struct ctf_stream *s)
{
	ctf_records_credit(r, s);
	switch (ctf_stream_next(s, &r->trace, &r->base.error)) {
	case CTF_PACKET:
		if (r->needs.is_part && (int64_t)ctf_ns(r, s->ticks) > r->needs.to_ns) {
			break; /* so are the packets after it */
		}
		if (!needs_packet(r, s)) {
			s->pos = s->end;
		}
		ctf_section_enter(r, s);
		heap_set_time(r, s->ticks);
		return CTF_LOOK_AGAIN;
	case CTF_TRAILING_GAP:
		give_gap(r, rec, s);
		if (r->is_divided) {
			return READ_PROBLEM; /* it belongs to the section of its last event */
		}
		/* Noticed only now, so it must not be older than earlier reports. */
		if (s->ticks < r->follow.last_horizon) {
			rec->ns = ctf_ns(r, r->follow.last_horizon);
		}
		return READ_RECORD;
	case CTF_BROKEN:
		if (r->base.error.is_short) {
			return READ_DAMAGED;
		}
		if (s->pos) {
			heap_set_time(r, s->ticks);
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

/* Ends the packet, of which all present events were read. */
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

/* Skips the rest of a packet, as nothing after a wrong event can be trusted. */
static enum read_result skip_packet(struct ctf_reader *r, struct ctf_stream *s, const char *why)
{
	uint64_t at = ctf_stream_offset(s, s->pos);
	size_t left = (size_t)(s->end - s->pos);

	s->pos = s->end;
	s->is_cut = false;
	s->packet = NULL; /* skips events that are recorded after it later, too */
	ctf_stream_fail(s, &r->base.error,
		"the event at byte %" PRIu64 " %s; the last %zu bytes of the packet are left out",
		at, why, left);
	return READ_PROBLEM;
}

/* The metadata may have the event by now. If the process is followed, the event waits for it. */
static enum read_result unknown_event(struct ctf_reader *r, struct ctf_stream *s, uint64_t id)
{
	char why[80];

	if (ctf_look_again(r) && id < r->slots.count && r->slots.items[id].class) {
		return CTF_LOOK_AGAIN;
	}
	if (r->base.error.is_short) {
		return READ_DAMAGED;
	}
	if (r->follow.is_on && !r->follow.is_last && s->waits < CTF_WAITS_MAX) {
		ctf_stream_hold(s);
		leave(r, s);
		return CTF_LOOK_AGAIN;
	}
	snprintf(why, sizeof(why), "has the number %" PRIu64 ", which no event of the metadata has",
		id);
	return skip_packet(r, s, why);
}

/* Handles whatever keeps the current stream from returning a plain event. */
static COLD enum read_result turn(struct ctf_reader *r, struct record *rec)
{
	const struct word_order order = { r->trace.swap, r->id_shift, r->time_shift };
	struct ctf_stream *s = r->current;

	/* Reports problems of the metadata and of missing files, once each, first. */
	if (r->problems_reported < r->metadata.problems.count) {
		read_error_set(
			&r->base.error, "%s", r->metadata.problems.items[r->problems_reported++]);
		return READ_PROBLEM;
	}
	if (!s || s == &r->follow.horizon) {
		enum read_result result = ctf_follow_turn(r);

		if (result == CTF_LOOK_AGAIN) {
			ctf_records_begin(r);
		}
		return result;
	}
	if (r->heap.items[0].ticks >= r->until) {
		return READ_END;
	}
	if (s->has_gap) {
		return give_gap(r, rec, s);
	}
	if (s->end - s->pos < (ptrdiff_t)WORD) {
		return end_packet(r, rec, s);
	}
	uint64_t word = load64(s->pos, order.swap);
	uint64_t id = word >> order.id_shift & ID_MASK;
	uint64_t ticks = event_ticks(word, order, s->ticks);

	if (id >= r->slots.count || !r->slots.items[id].class) {
		return unknown_event(r, s, id);
	}
	if (ticks > s->last_ticks) {
		return skip_packet(r, s, "is later than the packet's end");
	}
	if (ticks > r->limit) {
		heap_set_time(r, ticks);
		return CTF_LOOK_AGAIN;
	}
	if (s->is_cut) {
		return end_packet(r, rec, s);
	}
	return skip_packet(r, s, "is longer than the packet");
}

/*
 * Takes the next event if the current stream has the earliest. If `any_size`, a constant, is false,
 * takes only an event of a known size that does not end the packet.
 */
static INLINED bool take_one(
	struct ctf_reader *r, struct record *rec, struct word_order order, bool any_size)
{
	struct ctf_stream *s = r->current;

	if (UNLIKELY(!s || s->end - s->pos < (ptrdiff_t)WORD)) {
		return false;
	}
	const unsigned char *p = s->pos;
	size_t left = (size_t)(s->end - p);
	uint64_t word = load64(p, order.swap);
	uint64_t id = word >> order.id_shift & ID_MASK;
	uint64_t ticks = event_ticks(word, order, s->ticks);

	if (UNLIKELY(ticks > r->limit || id >= r->slots.count || s->has_gap)) {
		return false;
	}
	const struct ctf_slot *slot = &r->slots.items[id];
	size_t size = slot->size;

	if (any_size && size == 0) {
		size = varying_size(slot, p, left, order.swap);
	}
	size_t step = align_event(size);

	/* If the size varies, step is 0 and step - 1 the largest number. */
	if (UNLIKELY(any_size ? size > left : step - 1 >= left)) {
		return false;
	}
	s->pos = p + (any_size && step > left ? left : step);
	s->ticks = ticks;
	rec->kind = RECORD_EVENT;
	rec->pid = r->metadata.pid;
	rec->tid = s->tid;
	rec->trace = 0;
	rec->ns = ctf_ns(r, ticks);
	rec->offset = ctf_stream_offset(s, p);
	rec->class = slot->class;
	rec->values = NULL;
	rec->payload = p + WORD;
	rec->payload_size = size - WORD;
	return true;
}

static NOINLINE enum read_result next_slowly(struct ctf_reader *r, struct record *rec)
{
	const struct word_order order = { r->trace.swap, r->id_shift, r->time_shift };
	enum read_result result = CTF_LOOK_AGAIN;

	while (result == CTF_LOOK_AGAIN) {
		turn_to_next(r, order);
		if (LIKELY(take_one(r, rec, order, true))) {
			return READ_RECORD;
		}
		result = turn(r, rec);
	}
	return result;
}

static INLINED enum read_result next(
	struct ctf_reader *r, struct record *rec, struct word_order order)
{
	return LIKELY(take_one(r, rec, order, false)) ? READ_RECORD : next_slowly(r, rec);
}

enum read_result ctf_next_own(struct reader *base, struct record *rec)
{
	return next((struct ctf_reader *)base, rec, own_order);
}

enum read_result ctf_next_any(struct reader *base, struct record *rec)
{
	const struct ctf_reader *r = (const struct ctf_reader *)base;
	const struct word_order order = { base->swap, r->id_shift, r->time_shift };

	return next((struct ctf_reader *)base, rec, order);
}

enum read_result ctf_next_new(struct reader *base, struct record *rec)
{
	const struct ctf_reader *r = (const struct ctf_reader *)base;
	enum read_result result;

	do {
		result = ctf_next_any(base, rec);
	} while (result == READ_RECORD && (int64_t)(rec->ns - r->follow.new_ns) < 0);
	return result;
}

enum read_result ctf_next_none(struct reader *base, struct record *rec)
{
	(void)base;
	(void)rec;
	return READ_END;
}

const struct value *ctf_decode(struct reader *base, const struct record *rec)
{
	layout_decode(rec->class->layout, base->values, rec->payload, base->swap);
	return base->values;
}
