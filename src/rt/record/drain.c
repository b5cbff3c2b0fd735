/* SPDX-License-Identifier: MIT */
/*
 * See drain.h. The acquire of content_size pairs with the release that commits
 * an event, that of `next` and `first` with the release that opens a packet: so
 * once the next packet is seen, the former's content_size is final.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/packet.h"
#include "rt/record/drain.h"
#include "rt/record/process.h"

static struct packet_header *packet_at(struct arena *a, uint32_t chunk)
{
	return (void *)arena_at(a, chunk);
}

/* Goes to the begin of a packet, and notes what its header says was lost before it. */
static void enter_packet(struct arena *a, struct reader *r, uint32_t chunk)
{
	const struct packet_header *h = packet_at(a, chunk);

	r->chunk = chunk;
	r->pos = r->end = (char *)(h + 1);
	if (h->events_discarded > r->discarded) {
		r->gap += h->events_discarded - r->discarded;
		r->discarded = h->events_discarded;
	}
	if (h->timestamp_begin > r->ticks) {
		r->ticks = h->timestamp_begin;
	}
}

/* Looks how far the packet is published; whether that is more than was read. */
static bool see_more(struct arena *a, struct reader *r)
{
	const struct packet_header *h = packet_at(a, r->chunk);

	r->end = (char *)h + __atomic_load_n(&h->content_size, __ATOMIC_ACQUIRE) / 8;
	return r->pos < r->end;
}

/* Whether the cursor has a record to read; goes on to its next packet where one ends. */
static bool find_record(struct arena *a, struct cursor *c)
{
	struct reader *r = &c->reader;

	if (!r->chunk) {
		uint32_t first = __atomic_load_n(&c->first, __ATOMIC_ACQUIRE);

		if (!first) {
			return false;
		}
		enter_packet(a, r, first);
	}
	while (r->pos >= r->end && !see_more(a, r)) {
		uint32_t next = __atomic_load_n(&a->chunks[r->chunk].next, __ATOMIC_ACQUIRE);

		if (!next) {
			return false;
		}
		if (!see_more(a, r)) {
			uint32_t done = r->chunk;

			enter_packet(a, r, next);
			waymark_arena_give(a, done);
		}
	}
	return true;
}

/* The full time of a record, from the 48 bits it carries; never before the last one's. */
static uint64_t record_ticks(const struct reader *r)
{
	uint64_t word;

	memcpy(&word, r->pos, sizeof(word));
	int64_t step = (int64_t)((word & ~UINT64_C(0xffff)) - (r->ticks << 16)) >> 16;

	return step > 0 ? r->ticks + (uint64_t)step : r->ticks;
}

static void sift_up(struct source *heap, uint32_t i)
{
	struct source s = heap[i];

	for (; i > 0 && s.ticks < heap[(i - 1) / 2].ticks; i = (i - 1) / 2) {
		heap[i] = heap[(i - 1) / 2];
	}
	heap[i] = s;
}

static void sift_down(struct source *heap, uint32_t count)
{
	struct source s = heap[0];
	uint32_t i = 0;

	for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
		if (child + 1 < count && heap[child + 1].ticks < heap[child].ticks) {
			child++;
		}
		if (s.ticks <= heap[child].ticks) {
			break;
		}
		heap[i] = heap[child];
	}
	heap[i] = s;
}

/* The next to the earliest source's time. */
static uint64_t second_ticks(const struct source *heap, uint32_t count)
{
	uint64_t left = count > 1 ? heap[1].ticks : UINT64_MAX;
	uint64_t right = count > 2 ? heap[2].ticks : UINT64_MAX;

	return left < right ? left : right;
}

/* Writes everything in the heap that is within its horizon, in the order of time. */
static uint64_t merge(struct arena *a, struct drain *d)
{
	uint64_t events = 0;

	while (d->count > 0) {
		struct source *s = &d->heap[0];
		uint64_t second = second_ticks(d->heap, d->count);
		struct reader *r = &s->cursor->reader;

		events += waymark_simple_run(&d->out, r, second < s->horizon ? second : s->horizon);
		if (find_record(a, s->cursor) && record_ticks(r) <= s->horizon) {
			s->ticks = record_ticks(r);
		} else {
			*s = d->heap[--d->count];
		}
		sift_down(d->heap, d->count);
	}
	return events;
}

static uint64_t add_source(struct arena *a, struct drain *d, struct source s)
{
	uint64_t events = 0;

	if (!find_record(a, s.cursor)) {
		return 0;
	}
	s.ticks = record_ticks(&s.cursor->reader);
	if (s.ticks > s.horizon) {
		return 0;
	}
	if (d->count == DRAIN_SOURCES) {
		events = merge(a, d); /* more threads than that: in order within each group */
	}
	d->heap[d->count] = s;
	sift_up(d->heap, d->count++);
	return events;
}

/*
 * How far a thread's events can be taken. While an outer event is being
 * recorded, what its handlers have recorded may be the later, and so may be
 * what the thread recorded after them: it all waits for the outer one, unless
 * that takes longer than `hold`.
 */
static uint64_t slot_horizon(struct arena *a, struct slot *s, uint64_t now, uint64_t hold)
{
	uint64_t horizon = now;
	bool outer_busy = false;

	for (int i = 0; i < CURSOR_DEPTHS; i++) {
		struct cursor *c = &s->depth[i];

		if (outer_busy && find_record(a, c)) {
			uint64_t first = record_ticks(&c->reader);

			if (first > now - hold && first <= horizon) {
				horizon = first - 1;
			}
		}
		outer_busy |= __atomic_load_n(&c->hot.busy, __ATOMIC_ACQUIRE);
	}
	return horizon;
}

static uint64_t add_slot(struct arena *a, struct drain *d, struct slot *s, uint64_t horizon)
{
	uint64_t events = 0;

	for (int i = 0; i < CURSOR_DEPTHS; i++) {
		struct cursor *c = &s->depth[i];
		struct source source = { .horizon = horizon, .cursor = c };

		c->reader.thread_ns = &s->last_ns;
		events += add_source(a, d, source);
	}
	return events;
}

/* Ends the clock's segment now; returns the moment. */
static struct clock_pair advance_clock(struct process *p, struct arena *a)
{
	struct drain *d = &p->drain;
	struct clock_pair now = waymark_clock_pair();
	struct clock_pair from = d->last.ticks ? d->last : a->begin;

	d->out.clock = waymark_clock_segment(from, now);
	if (d->out.clock.mult) {
		uint64_t moment = (uint64_t)(100000000.0 * (UINT64_C(1) << CLOCK_SHIFT) /
					     (double)d->out.clock.mult);

		__atomic_store_n(&p->moment, moment, __ATOMIC_RELAXED);
	}
	d->last = now;
	return now;
}

/* Tells what a cursor lost after its last packet. `since` was read before. */
static void tell_trailing(struct arena *a, struct drain *d, struct cursor *c, uint64_t since)
{
	struct reader *r = &c->reader;
	uint64_t lost = __atomic_load_n(&c->lost, __ATOMIC_ACQUIRE);

	if (lost == r->discarded || find_record(a, c)) {
		return; /* a record: the loss is told with it, or after it */
	}
	if (lost > r->discarded) {
		r->gap += lost - r->discarded;
		r->discarded = lost;
	}
	if (r->gap) {
		waymark_simple_gap(&d->out, r->gap, since);
		r->gap = 0;
	}
}

static void tell_losses(struct process *p, struct arena *a, uint64_t since)
{
	struct drain *d = &p->drain;
	uint64_t unplaced = __atomic_load_n(&p->lost_unplaced, __ATOMIC_RELAXED);
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		for (int i = 0; i < CURSOR_DEPTHS; i++) {
			tell_trailing(a, d, &s->depth[i], since);
		}
	}
	if (unplaced > d->told_unplaced) {
		waymark_simple_gap(&d->out, unplaced - d->told_unplaced, since);
		d->told_unplaced = unplaced;
	}
}

/* Frees what a thread that ended has left, once it is drained. */
static void bury(struct process *p, struct arena *a, struct slot *s, uint64_t since)
{
	for (int i = 0; i < CURSOR_DEPTHS; i++) {
		if (find_record(a, &s->depth[i])) {
			return;
		}
	}
	for (int i = 0; i < CURSOR_DEPTHS; i++) {
		struct cursor *c = &s->depth[i];

		tell_trailing(a, &p->drain, c, since);
		__atomic_fetch_add(&p->lost_freed, c->lost, __ATOMIC_RELAXED);
		c->lost = 0;
		if (c->reader.chunk) {
			waymark_arena_give(a, c->reader.chunk);
		}
	}
	waymark_slot_free(s);
}

uint64_t waymark_drain_pass(struct process *p, enum drain_mode mode)
{
	struct arena *a = process_arena(p);
	struct drain *d = &p->drain;
	uint64_t events = 0;
	uint32_t index = 0;

	waymark_simple_sync(&d->out);
	if (!a) {
		return 0;
	}
	struct clock_pair now = advance_clock(p, a);
	uint64_t hold = mode == DRAIN_ALL ? 0 : DRAIN_HOLD * p->moment;
	bool ended = false;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		ended |= __atomic_load_n(&s->exited, __ATOMIC_ACQUIRE);
		events += add_slot(a, d, s, slot_horizon(a, s, now.ticks, hold));
	}
	events += merge(a, d);
	index = 0;
	for (struct slot *s; ended && (s = waymark_slot_next(&index));) {
		if (__atomic_load_n(&s->exited, __ATOMIC_ACQUIRE)) {
			bury(p, a, s, now.ns);
		}
	}
	if (mode == DRAIN_ALL) {
		tell_losses(p, a, now.ns);
	}
	return events;
}

void waymark_drain_expire(struct process *p)
{
	struct arena *a = process_arena(p);
	uint32_t index = 0;

	if (!a) {
		return;
	}
	tell_losses(p, a, waymark_clock_ns());
	for (struct slot *s; (s = waymark_slot_next(&index));) {
		for (int i = 0; i < CURSOR_DEPTHS; i++) {
			__atomic_store_n(&s->depth[i].hot.limit, NULL, __ATOMIC_RELAXED);
		}
	}
}

bool waymark_drain_is_expired(struct process *p)
{
	struct arena *a = process_arena(p);
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		for (int i = 0; i < CURSOR_DEPTHS; i++) {
			struct cursor *c = &s->depth[i];

			if (__atomic_load_n(&c->hot.busy, __ATOMIC_ACQUIRE) ||
				__atomic_load_n(&c->hot.limit, __ATOMIC_RELAXED) ||
				find_record(a, c)) {
				return false;
			}
		}
		if (__atomic_load_n(&s->exited, __ATOMIC_ACQUIRE)) {
			return false;
		}
	}
	return true;
}

void waymark_drain_find_dead(void)
{
	pid_t pid = getpid();
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		uint32_t tid = __atomic_load_n(&s->tid, __ATOMIC_ACQUIRE);

		/* Any other error is a sandbox's, and says nothing. */
		if (tid && syscall(SYS_tgkill, pid, tid, 0) < 0 && errno == ESRCH) {
			__atomic_store_n(&s->exited, 1, __ATOMIC_RELEASE);
		}
	}
}

uint64_t waymark_drain_count_lost(struct process *p)
{
	uint64_t lost = __atomic_load_n(&p->lost_unplaced, __ATOMIC_RELAXED) +
			__atomic_load_n(&p->lost_freed, __ATOMIC_RELAXED);
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		for (int i = 0; i < CURSOR_DEPTHS; i++) {
			lost += __atomic_load_n(&s->depth[i].lost, __ATOMIC_RELAXED);
		}
	}
	return lost;
}
