/* SPDX-License-Identifier: MIT */
/*
 * A pass calls each consumer, then drops slots in which nothing is left: see drain.h. Called by the
 * writer thread, or by a thread that flushes if there is no writer.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/futex.h"
#include "rt/record/drain.h"
#include "rt/record/recorder.h"

/* Relaxed: read once a pass. */
static uint64_t delay_ns = UINT64_C(5000000000);

void waymark_recorder_set_delay(uint64_t ns)
{
	__atomic_store_n(&delay_ns, ns, __ATOMIC_RELAXED);
}

uint64_t waymark_recorder_delay(void)
{
	return __atomic_load_n(&delay_ns, __ATOMIC_RELAXED);
}

void waymark_recorder_free(struct recorder *r, uint32_t subbuf)
{
	waymark_buffer_give(recorder_buffer(r), subbuf);
	/*
	 * Sequentially consistent on both sides: a waiting thread is woken, or sees another turn.
	 */
	__atomic_fetch_add(&r->room, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&r->waiting, __ATOMIC_SEQ_CST)) {
		futex_wake(&r->room);
	}
}

void waymark_drain_expire(void)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		slot_foreach_cursor(c, s)
		{
			__atomic_store_n(&c->hot.limit, NULL, __ATOMIC_RELAXED);
		}
	}
}

/*
 * True if the cursor cannot record without ringing the doorbell, and its consumer has taken all of
 * it.
 */
static bool is_quiet(struct process *p, int recorder, struct cursor *c)
{
	struct recorder *r = &p->recorders[recorder];

	return !__atomic_load_n(&c->hot.busy, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&c->hot.limit, __ATOMIC_RELAXED) &&
	       (!recorder_buffer(r) || waymark_consumers[recorder]->has_all(r, c));
}

bool waymark_drain_is_quiet(struct process *p)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		for (int i = 0; i < WAYMARK_RECORDERS * CURSOR_DEPTHS; i++) {
			int k = i / CURSOR_DEPTHS;

			if (!is_quiet(p, k, &s->cursors[k][i % CURSOR_DEPTHS])) {
				return false;
			}
		}
	}
	return true;
}

bool waymark_drain_may_record(const struct process *p, const struct slot *s)
{
	return waymark_slot_is_owned(s) && !slot_is_left(s) &&
	       slot_tid(s) != __atomic_load_n(&p->ending_tid, __ATOMIC_RELAXED);
}

bool waymark_drain_is_alone(const struct process *p)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		if (waymark_drain_may_record(p, s)) {
			return false;
		}
	}
	return true;
}

/* True if the cursor is in an event, or may record one without checking the seal. */
static bool is_awake(const struct cursor *c)
{
	return __atomic_load_n(&c->hot.busy, __ATOMIC_SEQ_CST) ||
	       __atomic_load_n(&c->hot.limit, __ATOMIC_RELAXED);
}

/* Returns, for the thread that ends the process, the events that it will not finish, as bits. */
static uint32_t left_events(const struct process *p, const struct slot *s, int recorder)
{
	uint32_t busy = __atomic_load_n(&p->ending_busy, __ATOMIC_RELAXED);

	return waymark_drain_may_record(p, s) ? 0 : busy >> recorder * CURSOR_DEPTHS;
}

bool waymark_drain_is_still(const struct process *p, int recorder)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		uint32_t left = left_events(p, s, recorder);

		if (!waymark_slot_is_owned(s) || slot_is_left(s)) {
			continue;
		}
		for (int i = 0; i < CURSOR_DEPTHS; i++) {
			if (!(left >> i & 1) && is_awake(&s->cursors[recorder][i])) {
				return false;
			}
		}
	}
	return true;
}

void waymark_drain_find_dead(void)
{
	pid_t pid = getpid();
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		uint64_t owner = __atomic_load_n(&s->owner, __ATOMIC_ACQUIRE);
		uint32_t tid = (uint32_t)owner;

		/* Any other error is from a sandbox and shows nothing. */
		if (tid && syscall(SYS_tgkill, pid, tid, 0) < 0 && errno == ESRCH) {
			waymark_slot_leave(s, owner);
		}
	}
}

/* True if the consumers have drained all that the slot's threads have recorded and lost. */
static bool is_drained(struct slot *s, bool left)
{
	for (int i = 0; i < WAYMARK_RECORDERS * CURSOR_DEPTHS; i++) {
		const struct consumer *consumer = waymark_consumers[i / CURSOR_DEPTHS];
		struct cursor *c = &s->cursors[i / CURSOR_DEPTHS][i % CURSOR_DEPTHS];

		if (c->draining.subbuf || __atomic_load_n(&c->first, __ATOMIC_ACQUIRE) ||
			c->draining.discarded != __atomic_load_n(&c->lost, __ATOMIC_ACQUIRE) ||
			(consumer->is_done && !consumer->is_done(c, left))) {
			return false;
		}
	}
	return true;
}

/* Makes passes skip the slot, unless a thread has taken it since is_drained(). */
static void forget(struct slot *s)
{
	waymark_slot_forget(s);
	if (waymark_slot_is_owned(s) || !is_drained(s, false)) {
		waymark_slot_remember(s);
	}
}

static void forget_slots(void)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		bool left = slot_is_left(s); /* read first: the thread adds nothing after that */

		if (!is_drained(s, left)) {
			continue;
		}
		if (left) {
			waymark_slot_renew(s);
		} else if (!waymark_slot_is_owned(s)) {
			forget(s);
		}
	}
}

void waymark_drain_measure(struct process *p, struct clock_pair from, struct clock_pair to)
{
	struct clock_segment s = waymark_clock_segment(from, to);

	if (s.mult) {
		uint64_t moment =
			(uint64_t)(100000000.0 * (UINT64_C(1) << CLOCK_SHIFT) / (double)s.mult);

		__atomic_store_n(&p->moment, moment, __ATOMIC_RELAXED);
	}
}

enum drain_mode waymark_drain_mode(const struct process *p)
{
	if (__atomic_load_n(&p->leaving, __ATOMIC_RELAXED)) {
		return DRAIN_END;
	}
	if (__atomic_load_n(&p->crashed, __ATOMIC_ACQUIRE) == CRASH_FLUSHING) {
		return DRAIN_CRASH;
	}
	return process_has_flush(p) ? DRAIN_FLUSH : DRAIN_USUAL;
}

uint64_t waymark_drain_pass(struct process *p, enum drain_mode mode)
{
	uint64_t taken = 0;

	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		struct recorder *r = &p->recorders[k];

		if (recorder_buffer(r)) {
			taken += waymark_consumers[k]->pass(p, r, mode);
		}
	}
	forget_slots();
	return taken;
}
