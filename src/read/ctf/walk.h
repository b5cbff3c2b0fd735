/* SPDX-License-Identifier: MIT */
/*
 * A step from one event of a packet to the next: its number, time and size, from its first word.
 * Inlined into records.c and section.c, whose loops run once for each event.
 */
#ifndef READ_CTF_WALK_H
#define READ_CTF_WALK_H

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

#endif
