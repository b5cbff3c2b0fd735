/* SPDX-License-Identifier: MIT */
/*
 * Many events at once, for who shows or counts them all: what ctf.c's loop does
 * for one, without leaving it. Whatever is not a plain event, whole and in its
 * place, ends the run and is left to ctf_next_own(), which says what it is.
 * Only traces whose first words are as this host writes them come here.
 */
#include <stddef.h>

#include "base/compiler.h"
#include "format/packet.h"
#include "read/bytes.h"
#include "read/ctf/ctf.h"
#include "read/ctf/heap.h"
#include "read/layout.h"

#define WORD sizeof(uint64_t)
#define ID_MASK ((UINT64_C(1) << PACKET_ID_BITS) - 1)

/*
 * How far ahead memory is asked for, in bytes. While events are shown, the
 * processor forgets that it is reading a file from its begin to its end.
 */
#define AHEAD 2048

/* The bytes of struct record that all events of a stream share. */
#define SHARED offsetof(struct record, ns)

/* What makes nanoseconds of ticks: as ctf_ns(), out of the way of what the loop stores. */
struct scale {
	bool is_ns;
	double freq;
	uint64_t zero;
};

static inline struct scale scale_of(const struct ctf_reader *r)
{
	return (struct scale){ r->clock.freq == CTF_CLOCK_SECOND, r->freq, r->ns_of_zero };
}

static inline uint64_t scale_ns(struct scale s, uint64_t ticks)
{
	return s.zero +
	       (s.is_ns ? ticks : (uint64_t)(int64_t)(1e9 * (double)(int64_t)ticks / s.freq));
}

static inline uint64_t event_ticks(uint64_t word, uint64_t before)
{
	return before + (((word >> PACKET_ID_BITS) - before) & PACKET_CLOCK_MASK);
}

/* What a record takes whose strings decide that; SIZE_MAX: more than is left. */
static inline size_t varying_size(const struct ctf_slot *slot, const unsigned char *p, size_t left)
{
	size_t size = slot->to_string;

	if (LIKELY(size && size <= left)) {
		uint32_t length = load32(p + size - sizeof(length), false);

		return length <= left - size ? size + length : SIZE_MAX;
	}
	size = layout_measure(slot->class->layout, p + WORD, left - WORD, false);
	return size == SIZE_MAX ? size : WORD + size;
}

static inline size_t align_event(size_t size)
{
	return (size + PACKET_EVENT_ALIGN - 1) & ~(size_t)(PACKET_EVENT_ALIGN - 1);
}

/* The current stream, on its way: all that the loops need, where no store can change it. */
struct cursor {
	struct record shared;
	struct scale scale;
	uint64_t limit;
	uint64_t before; /* ticks of the event before */
	uint64_t place; /* of address 0 in the file, as it were */
	const unsigned char *p;
	const unsigned char *end;
};

static inline struct cursor cursor_of(const struct ctf_reader *r, const struct ctf_stream *s)
{
	return (struct cursor){
		.shared = { .kind = RECORD_EVENT, .pid = r->metadata.pid, .tid = s->tid },
		.scale = scale_of(r),
		.limit = r->limit,
		.before = s->ticks,
		.place = ctf_stream_offset(s, s->pos) - (uintptr_t)s->pos,
		.p = s->pos,
		.end = s->end,
	};
}

static inline size_t left_of(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* Takes the event at `p`, of so many bytes, and goes on by `step`. */
static inline void take(struct cursor *c, struct record *rec, const struct event_class *class,
	size_t size, size_t step)
{
	__builtin_prefetch((const void *)((uintptr_t)c->p + AHEAD));
	memcpy(rec, &c->shared, SHARED);
	rec->ns = scale_ns(c->scale, c->before);
	rec->offset = c->place + (uintptr_t)c->p;
	rec->class = class;
	rec->values = NULL;
	rec->payload = c->p + WORD;
	rec->payload_size = size - WORD;
	c->p += step;
}

/*
 * Takes events that are like the one before, which has a known size: where the
 * next one begins does not wait for what this one's number leads to.
 */
static inline struct record *take_alike(struct cursor *c, struct record *rec,
	const struct record *last, const struct ctf_slot *slot, uint64_t id)
{
	const struct event_class *class = slot->class;
	const size_t size = slot->size;
	const size_t step = align_event(size);

	for (; rec < last && left_of(c) >= step; rec++) {
		uint64_t word = load64(c->p, false);
		uint64_t ticks = event_ticks(word, c->before);

		if (UNLIKELY((word & ID_MASK) != id || ticks > c->limit)) {
			break;
		}
		c->before = ticks;
		take(c, rec, class, size, step);
	}
	return rec;
}

/* Takes the current stream's events as long as it is its turn; returns the end of the records. */
static inline struct record *take_run(
	struct ctf_reader *r, struct record *rec, const struct record *last)
{
	struct ctf_stream *const s = r->current;

	if (UNLIKELY(!s || s->has_gap)) {
		return rec;
	}
	struct cursor c = cursor_of(r, s);

	while (rec < last && left_of(&c) >= WORD) {
		size_t left = left_of(&c);
		uint64_t word = load64(c.p, false);
		uint64_t id = word & ID_MASK;
		uint64_t ticks = event_ticks(word, c.before);

		if (ticks > c.limit || UNLIKELY(id >= r->slots.count)) {
			break;
		}
		const struct ctf_slot *slot = &r->slots.items[id];
		size_t size = slot->size ? slot->size : varying_size(slot, c.p, left);

		if (UNLIKELY(size > left)) {
			break;
		}
		size_t step = align_event(size);

		c.before = ticks;
		take(&c, rec++, slot->class, size, step < left ? step : left);
		if (slot->size) {
			rec = take_alike(&c, rec, last, slot, id);
		}
	}
	s->pos = c.p;
	s->ticks = c.before;
	return rec;
}

/*
 * Whether the current stream's next event is later than another stream's:
 * that one is current now.
 */
static inline bool turn_to_next(struct ctf_reader *r)
{
	const struct ctf_stream *s = r->current;

	if (!s || s->has_gap || s->end - s->pos < (ptrdiff_t)WORD) {
		return false;
	}
	uint64_t ticks = event_ticks(load64(s->pos, false), s->ticks);

	if (ticks <= r->limit || ticks > s->last_ticks) {
		return false;
	}
	set_time(r, ticks);
	return true;
}

size_t ctf_take_own(struct reader *base, struct record *records, size_t room)
{
	struct ctf_reader *r = (struct ctf_reader *)base;
	const struct record *last = records + room;
	struct record *rec = records;

	do {
		rec = take_run(r, rec, last);
	} while (rec < last && turn_to_next(r));
	return (size_t)(rec - records);
}
