/* SPDX-License-Identifier: MIT */
/*
 * Closing an open packet early. A packet belongs to its thread until that switches to the next
 * one; but a quiet thread never does, so the consumer can take the packet from it:
 *
 *	consumer: claim is n; limit = NULL         thread: the next event takes the slow path,
 *	some time later, if the thread is          which counts claim on first
 *	in no event: n --> n | 1, else again
 *
 * Either swap makes the other one fail. The time is what a store needs to be seen by
 * another processor: within it, a thread that had passed the limit before has shown that
 * it is busy, or has ended its event.
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
 * The producer, at the begin of its slow path: the packet stays, or is gone (`subbuf` is 0 then).
 */
static inline void waymark_close_claim(struct cursor *c)
{
	uint32_t before = __atomic_fetch_add(&c->claim, 2, __ATOMIC_ACQ_REL);

	if (before & 1) {
		c->subbuf = 0;
		__atomic_store_n(&c->claim, (before & ~1u) + 2, __ATOMIC_RELEASE);
	}
}

/* The consumer: asks for the open packet to be closed. */
static inline void waymark_close_begin(struct cursor *c, uint64_t now_ns)
{
	c->draining.claim = __atomic_load_n(&c->claim, __ATOMIC_ACQUIRE);
	c->draining.closing_ns = now_ns;
	__atomic_store_n(&c->close, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&c->hot.limit, NULL, __ATOMIC_RELAXED);
}

/*
 * The consumer, later: takes the packet, whose last event is not later than
 * `end` and the thread's next one not earlier. False where the thread is in an
 * event, or was awake meanwhile: then it has closed it itself, or begin again.
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
