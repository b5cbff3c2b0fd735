/* SPDX-License-Identifier: MIT */
/*
 * A step from one event of a packet to the next: its number, time and size, from its first word.
 * Inlined into records.c, count.c and section.c, whose loops run once for each event.
 */
#ifndef READ_CTF_WALK_H
#define READ_CTF_WALK_H

#include <stddef.h>

#include "base/compiler.h"
#include "format/packet.h"
#include "read/bytes.h"
#include "read/ctf/ctf.h"

#define WORD sizeof(uint64_t)
#define ID_MASK ((UINT64_C(1) << PACKET_ID_BITS) - 1)

/* Must be inlined for each order of words, which is a constant then. */
#define INLINED inline __attribute__((always_inline))

/* How to read an event's first word; a constant where speed matters. */
struct word_order {
	bool swap;
	uint8_t id_shift;
	uint8_t time_shift;
};

/* The order of traces of hosts with this host's byte order. */
static const struct word_order own_order = { false, 0, PACKET_ID_BITS };

/*
 * Bytes to prefetch ahead of the current event: while events are printed, the processor's own
 * prefetcher loses the sequence.
 */
#define AHEAD 2048

static inline uint64_t event_ticks(uint64_t word, struct word_order order, uint64_t before)
{
	return before + (((word >> order.time_shift) - before) & PACKET_CLOCK_MASK);
}

/* Returns the size of a record whose strings decide it; SIZE_MAX if it exceeds `left`. */
static inline size_t varying_size(
	const struct ctf_slot *slot, const unsigned char *p, size_t left, bool swap)
{
	size_t size = slot->to_string;

	if (LIKELY(size && size <= left)) {
		uint32_t length = load32(p + size - sizeof(length), swap);

		return length <= left - size ? size + length : SIZE_MAX;
	}
	size = layout_measure(slot->class->layout, p + WORD, left - WORD, swap);
	return size == SIZE_MAX ? size : WORD + size;
}

static inline size_t align_event(size_t size)
{
	return (size + PACKET_EVENT_ALIGN - 1) & ~(size_t)(PACKET_EVENT_ALIGN - 1);
}

/* The first members of struct record, which are equal for all events of a stream. */
struct record_head {
	enum record_kind kind;
	uint32_t pid;
	uint32_t tid;
	uint32_t trace;
};

_Static_assert(sizeof(struct record_head) == offsetof(struct record, ns), "copied into records");

/* The events of the current stream: copies for the loops, which no store can change. */
struct event_run {
	struct record_head head;
	bool is_ns; /* ticks are nanoseconds; else see ctf_ns() */
	double freq;
	uint64_t ns_of_zero;
	uint64_t limit; /* upper bound of the run's ticks */
	uint64_t before; /* ticks of the previous event */
	uint64_t offset_of_0; /* of address 0 in the file, modulo 2^64 */
	const unsigned char *p;
	const unsigned char *end;
};

static inline struct event_run begin_run(const struct ctf_reader *r, const struct ctf_stream *s)
{
	return (struct event_run){
		.head = { .kind = RECORD_EVENT, .pid = r->metadata.pid, .tid = s->tid },
		.is_ns = r->clock.freq == CTF_CLOCK_SECOND,
		.freq = r->freq,
		.ns_of_zero = r->ns_of_zero,
		.limit = r->limit,
		.before = s->ticks,
		.offset_of_0 = ctf_stream_offset(s, s->pos) - (uintptr_t)s->pos,
		.p = s->pos,
		.end = s->end,
	};
}

static inline size_t left_of(const struct event_run *run)
{
	return (size_t)(run->end - run->p);
}

/* Returns a time of the run's stream in ns. */
static inline int64_t run_ns(const struct event_run *run, uint64_t ticks)
{
	if (!run->is_ns) {
		ticks = (uint64_t)(int64_t)(1e9 * (double)(int64_t)ticks / run->freq);
	}
	return (int64_t)(run->ns_of_zero + ticks);
}

#endif
