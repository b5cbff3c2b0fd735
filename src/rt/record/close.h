/* SPDX-License-Identifier: MIT */
/*
 * Closing an open packet early. A packet belongs to its thread until the thread switches to the
 * next one. A quiet thread never does, so the consumer can take the packet from it:
 *
 *	consumer: claim is n; limit = NULL         thread: the next event takes the slow path,
 *	some time later, if the thread is          which counts claim on first
 *	in no event: n --> n | 1, else again
 *
 * Each swap makes the other one fail. The time is long enough for a store to be seen by other
 * processors: by then a thread that had passed the limit before has shown that it is busy, or has
 * ended its event.
 */
#ifndef RT_RECORD_CLOSE_H
#define RT_RECORD_CLOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/record/clock.h"
#include "rt/record/cursor.h"

/* How long a limit of NULL may need until every processor sees it. */
#define CLOSE_SETTLE_NS UINT64_C(1000000)

/*
 * Keeps the packet, or sets `subbuf` to 0 if the packet was taken. The producer, at the beginning
 * of its slow path.
 */
static inline void waymark_close_claim(struct cursor *c)
{
	uint32_t before = __atomic_fetch_add(&c->claim, 2, __ATOMIC_ACQ_REL);

	if (before & 1) {
		c->subbuf = 0;
		__atomic_store_n(&c->claim, (before & ~1u) + 2, __ATOMIC_RELEASE);
	}
}

/* Requests that the open packet be closed. The consumer. */
static inline void waymark_close_begin(struct cursor *c, uint64_t now_ns)
{
	c->draining.claim = __atomic_load_n(&c->claim, __ATOMIC_ACQUIRE);
	c->draining.closing_ns = now_ns;
	__atomic_store_n(&c->close, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&c->hot.limit, NULL, __ATOMIC_RELAXED);
}

/*
 * Takes the packet. Its last event is not later than `end`, and the thread's next event is not
 * earlier. Returns false if the thread is in an event, or was awake meanwhile: then the thread has
 * closed the packet, or the consumer must begin again. The consumer, after the time above.
 */
static inline bool waymark_close_take(struct cursor *c, uint64_t *end)
{
	uint32_t claim = c->draining.claim;

	if (claim & 1 || __atomic_load_n(&c->hot.busy, __ATOMIC_ACQUIRE) ||
		__atomic_load_n(&c->hot.limit, __ATOMIC_ACQUIRE)) {
		return false;
	}
	clock_after_loads();
	*end = waymark_clock_ticks();
	return __atomic_compare_exchange_n(
		&c->claim, &claim, claim | 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

#endif
