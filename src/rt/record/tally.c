/* SPDX-License-Identifier: MIT */
/* The counters of slots and cursors, read while their threads record: see tally.h. */
#include <sched.h>

#include "format/packet.h"
#include "rt/record/buffer.h"
#include "rt/record/tally.h"

/* Looks at a packet that changes; its thread may stand still in the middle of it. */
#define LOOKS 100

/*
 * Everything is loaded by acquire and stored by release: so a second load of `turn`, or
 * of a slot's owner, comes last, and shows whether the loads between belong together.
 */
static uint64_t load(const waymark_count *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static void store(waymark_count *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELEASE);
}

/* Events in a cursor that a fork has cut off (see process.c) are the parent's. */
static uint64_t recorded_by(const struct cursor *c)
{
	if (__atomic_load_n(&c->cut_off, __ATOMIC_ACQUIRE)) {
		return 0;
	}
	uint64_t counted = load(&c->counted);
	uint32_t count = __atomic_load_n(&c->hot.count, __ATOMIC_ACQUIRE);

	return counted + (count - (uint32_t)counted);
}

/* Bytes of events in the packet; 0 where there is none, or that is not known. */
static uint64_t content(const struct cursor *c)
{
	bool cut_off = __atomic_load_n(&c->cut_off, __ATOMIC_ACQUIRE);
	uintptr_t packet = (uintptr_t)__atomic_load_n(&c->hot.packet, __ATOMIC_ACQUIRE);
	uintptr_t pos = (uintptr_t)__atomic_load_n(&c->hot.pos, __ATOMIC_ACQUIRE);
	uint64_t bytes = (uint64_t)pos - packet - sizeof(struct packet_header);

	return packet && !cut_off && bytes <= buffer_class_units(BUFFER_LARGE) * BUFFER_UNIT ? bytes
											     : 0;
}

/* Looks once; false where the packet changed meanwhile. */
static bool look(const struct cursor *c, uint64_t *bytes)
{
	uint32_t turn = __atomic_load_n(&c->turn, __ATOMIC_ACQUIRE);

	*bytes = load(&c->bytes) + content(c);
	return !(turn & 1) && turn == __atomic_load_n(&c->turn, __ATOMIC_RELAXED);
}

/* Where no look succeeds, the thread stands still in the middle: returns what was shown last. */
static uint64_t bytes_of(struct cursor *c)
{
	uint64_t shown = load(&c->shown);
	uint64_t bytes = 0;
	int looks = 0;

	while (!look(c, &bytes)) {
		if (++looks == LOOKS) {
			return shown;
		}
		sched_yield();
	}
	while (shown < bytes && !__atomic_compare_exchange_n(&c->shown, &shown, bytes, true,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
	}
	return bytes;
}

void waymark_tally_slot(struct slot *s, struct tally *sum)
{
	slot_foreach_cursor(c, s)
	{
		sum->recorded += recorded_by(c);
		sum->lost += __atomic_load_n(&c->lost, __ATOMIC_ACQUIRE);
		sum->bytes += bytes_of(c);
	}
}

static void add(struct tally *to, const struct tally *more, const struct tally *less)
{
	to->recorded += more->recorded - less->recorded;
	to->lost += more->lost - less->lost;
	to->bytes += more->bytes - less->bytes;
}

uint32_t waymark_tally_owner(struct slot *s, struct tally *own, struct tally *ended)
{
	static const struct tally none;
	uint64_t owner = __atomic_load_n(&s->owner, __ATOMIC_ACQUIRE);

	for (;;) {
		struct tally all = { 0 };
		struct tally before = { load(&s->ended.recorded), load(&s->ended.lost),
			load(&s->ended.bytes) };

		waymark_tally_slot(s, &all);
		uint64_t now = __atomic_load_n(&s->owner, __ATOMIC_ACQUIRE);

		if (now == owner) {
			add(ended, (uint32_t)owner ? &before : &all, &none);
			add(own, &all, (uint32_t)owner ? &before : &all);
			return (uint32_t)owner;
		}
		owner = now;
	}
}

void waymark_tally_leave(struct slot *s)
{
	struct tally all = { 0 };

	waymark_tally_slot(s, &all);
	store(&s->ended.recorded, all.recorded);
	store(&s->ended.lost, all.lost);
	store(&s->ended.bytes, all.bytes);
}

static void begin_turn(struct cursor *c, uint32_t turn)
{
	__atomic_store_n(&c->turn, turn, __ATOMIC_RELAXED);
	store(&c->bytes, load(&c->bytes) + content(c));
}

void waymark_tally_begin(struct cursor *c)
{
	if (c->cut_off) {
		__atomic_store_n(&c->hot.count, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&c->hot.packet, NULL, __ATOMIC_RELAXED);
		__atomic_store_n(&c->cut_off, 0, __ATOMIC_RELEASE);
	}
	store(&c->counted, recorded_by(c));
	begin_turn(c, c->turn + 1);
}

void waymark_tally_end(struct cursor *c)
{
	__atomic_store_n(&c->turn, c->turn + 1, __ATOMIC_RELEASE);
}

void waymark_tally_renew(struct cursor *c)
{
	begin_turn(c, c->turn | 1);
	__atomic_store_n(&c->hot.packet, NULL, __ATOMIC_RELEASE);
	waymark_tally_end(c);
}
