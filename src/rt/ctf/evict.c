/* SPDX-License-Identifier: MIT */
/*
 * Frees memory by evicting packets: see pass.h. One search through all cursors finds several of the
 * oldest packets, so that with a thousand threads not every packet costs a search.
 */
#include "rt/ctf/pass.h"

#include "base/compiler.h"
#include "rt/host/futex.h"
#include "rt/record/close.h"

/* Cursors that one search finds. */
#define FOUND 16u

/*
 * A thread without room frees 1/64 of all memory, more than the sub-buffer that it needs, so that
 * it need not search again soon.
 */
#define EVICT_SHARE 64u

/* The share of memory that the writer keeps free: 1/8. */
#define FREE_SHARE 8u

/* Open packets that a thread without room asks for. */
#define TAKEN_AT_ONCE 4u

/* The oldest packets found, the oldest first. */
struct found {
	unsigned int count;
	struct {
		uint64_t age; /* ticks: less is older */
		struct cursor *cursor;
	} oldest[FOUND];
};

static void found_add(struct found *f, uint64_t age, struct cursor *c)
{
	if (f->count == FOUND && age >= f->oldest[FOUND - 1].age) {
		return;
	}
	unsigned int i = f->count < FOUND ? f->count++ : FOUND - 1;

	for (; i > 0 && f->oldest[i - 1].age > age; i--) {
		f->oldest[i] = f->oldest[i - 1];
	}
	f->oldest[i].age = age;
	f->oldest[i].cursor = c;
}

static struct cursor *found_take(struct found *f)
{
	struct cursor *c = f->oldest[0].cursor;

	f->count--;
	for (unsigned int i = 0; i < f->count; i++) {
		f->oldest[i] = f->oldest[i + 1];
	}
	return c;
}

/*
 * Searches all cursors. `age` returns the age of the packet that a cursor could give; UINT64_MAX:
 * none.
 */
static void find_oldest(struct found *f, struct ctf_round *round,
	uint64_t (*age)(struct ctf_round *round, struct cursor *c))
{
	uint32_t index = 0;

	f->count = 0;
	for (struct slot *s; (s = waymark_slot_next(&index));) {
		foreach_ctf_cursor(c, s)
		{
			if (slot_is_left(s)) {
				waymark_ctf_cursor_leave(round, c);
			}
			uint64_t ticks = age(round, c);

			if (ticks != UINT64_MAX) {
				found_add(f, ticks, c);
			}
		}
	}
}

/*
 * Returns the age of a closed packet. Also watches an open one, and closes it if it was idle for
 * long.
 */
static uint64_t age_of_closed(struct ctf_round *round, struct cursor *c)
{
	waymark_ctf_cursor_close_old(round, c);
	waymark_ctf_cursor_watch(round, c);
	uint64_t age = waymark_ctf_cursor_age(round->buffer, c);

	return age > round->keep_until ? age : UINT64_MAX;
}

static uint64_t age_of_open(struct ctf_round *round, struct cursor *c)
{
	return waymark_ctf_cursor_idle_since(round->buffer, c);
}

/* Evicts the oldest packets found until `units` are free; returns how many were freed. */
static uint32_t evict_found(struct recorder *r, struct found *f, uint32_t units)
{
	struct buffer *b = recorder_buffer(r);
	uint64_t reach = f->count ? f->oldest[f->count - 1].age : 0;
	uint32_t freed = 0;

	while (f->count > 0 && freed < units) {
		struct cursor *c = found_take(f);

		freed += buffer_class_units(b->subbufs[c->draining.subbuf].size_class);
		waymark_ctf_cursor_evict(r, b->state, c);
		/* The cursor's next packet is evicted in its turn, up to `reach`. */
		if (waymark_ctf_cursor_age(b, c) <= reach) {
			found_add(f, waymark_ctf_cursor_age(b, c), c);
		}
	}
	return freed;
}

/* Evicts closed packets, the oldest first, until `units` are free or no packet is left. */
static uint32_t evict_closed(struct ctf_round *round, uint32_t units)
{
	uint32_t freed = 0;
	bool found = true;

	while (found && freed < units) {
		struct found f;

		find_oldest(&f, round, age_of_closed);
		found = f.count > 0;
		round->idle_before = found ? f.oldest[0].age : round->now.ticks;
		freed += evict_found(round->recorder, &f, units - freed);
	}
	round->state->evicted_from = round->idle_before;
	return freed;
}

/*
 * Asks for the open packets that were idle longest, and takes those that it gets. Not inlined, so
 * that `f` is not on the stack during the search for closed packets.
 */
static NOINLINE void take_open(struct ctf_round *round)
{
	struct found f;

	find_oldest(&f, round, age_of_open);
	unsigned int count = f.count < TAKEN_AT_ONCE ? f.count : TAKEN_AT_ONCE;

	for (unsigned int i = 0; i < count; i++) {
		waymark_close_begin(f.oldest[i].cursor, waymark_clock_ns());
	}
	if (count) {
		futex_sleep(CLOSE_SETTLE_NS);
	}
	for (unsigned int i = 0; i < count; i++) {
		waymark_ctf_cursor_take(round->buffer, f.oldest[i].cursor);
	}
}

static uint32_t units_of(const struct buffer *b)
{
	return b->units - b->file.first_unit;
}

bool waymark_ctf_evict(struct recorder *r)
{
	struct buffer *b = recorder_buffer(r);
	struct ctf_state *state = b->state;
	struct ctf_round round = {
		.recorder = r,
		.buffer = b,
		.state = state,
		.now = { .ticks = waymark_clock_ticks() },
		.idle_before = state->evicted_from,
	};
	uint32_t units = 1 + units_of(b) / EVICT_SHARE;

	if (evict_closed(&round, units)) {
		return true;
	}
	take_open(&round);
	return evict_closed(&round, units) > 0;
}

void waymark_ctf_keep_room(struct ctf_round *round)
{
	struct buffer *b = round->buffer;
	uint32_t most = units_of(b) - units_of(b) / FREE_SHARE;
	uint32_t used = __atomic_load_n(&b->used, __ATOMIC_RELAXED);

	round->close_before = 0; /* because of full=overwrite, events need not be written soon */
	round->idle_before = round->state->evicted_from;
	if (used > most) {
		round->taken += (uint64_t)evict_closed(round, used - most) * BUFFER_UNIT;
	}
}
