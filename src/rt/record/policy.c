/* SPDX-License-Identifier: MIT */
/* See policy.h. */
#include <sched.h>

#include "rt/host/futex.h"
#include "rt/host/guard.h"
#include "rt/record/policy.h"
#include "rt/record/recorder.h"

/* How long a thread waits for room before it looks whether that is still worth while. */
#define ROOM_WAIT_NS UINT64_C(50000000)

/* How long it tries to take old events' room while others do the same, or record. */
#define EVICT_PATIENCE_NS UINT64_C(100000000)

/* And while a snapshot is written. */
#define SNAPSHOT_PATIENCE_NS UINT64_C(20000000)

/*
 * Frees some of the oldest packets, unless somebody else drains: no signal may
 * come then, whose handler would find the lock taken by its own thread.
 */
static bool try_evict(struct process *p, struct recorder *r)
{
	struct guard guard;
	bool done = false;

	if (__atomic_load_n(&p->drain_lock, __ATOMIC_RELAXED)) {
		return false; /* a look costs less than the guard */
	}
	waymark_guard_begin(&guard);
	if (waymark_drain_trylock(p)) {
		done = recorder_consumer(p, r)->evict(r);
		waymark_drain_unlock(p);
	}
	waymark_guard_end(&guard);
	return done;
}

/* Sleeps until a chunk was freed since `turn`, for a while at most. */
static void sleep_for_room(struct recorder *r, uint32_t turn, uint64_t ns)
{
	__atomic_fetch_add(&r->waiting, 1, __ATOMIC_SEQ_CST);
	futex_wait(&r->room, turn, ns);
	__atomic_fetch_sub(&r->waiting, 1, __ATOMIC_SEQ_CST);
}

static bool has_room_since(const struct recorder *r, uint32_t turn)
{
	return __atomic_load_n(&r->room, __ATOMIC_ACQUIRE) != turn;
}

/*
 * With full=overwrite: makes room by old events. Who else is at that is soon
 * through, so it is waited for; and for a short time from when it begins for who writes a
 * snapshot, which frees what it has written. Where the patience was in vain, a disk hangs, or
 * threads stand still inside their events and hold all memory: then it is not
 * tried again at once.
 */
static bool evict(struct process *p, struct recorder *r, uint32_t turn)
{
	uint64_t now = waymark_clock_ns();
	uint64_t begin = now;
	bool was_writing = false;

	if (!recorder_consumer(p, r)->evict ||
		now < __atomic_load_n(&r->evict_ns, __ATOMIC_RELAXED)) {
		return false;
	}
	for (;;) {
		if (try_evict(p, r) || has_room_since(r, turn)) {
			return true;
		}
		bool writing = __atomic_load_n(&r->writing, __ATOMIC_RELAXED);

		begin = writing == was_writing ? begin : now;
		was_writing = writing;
		if (now - begin >= (writing ? SNAPSHOT_PATIENCE_NS : EVICT_PATIENCE_NS)) {
			break;
		}
		if (writing) {
			sleep_for_room(r, turn, SNAPSHOT_PATIENCE_NS / 20);
		} else {
			sched_yield();
		}
		now = waymark_clock_ns();
	}
	__atomic_store_n(&r->evict_ns, now + EVICT_PATIENCE_NS, __ATOMIC_RELAXED);
	return false;
}

/*
 * With full=block: waits until a chunk was freed since `turn`, or for a while.
 * Returns false where nobody frees any.
 */
static bool wait_for_room(struct process *p, struct recorder *r, uint32_t turn)
{
	uint32_t writer = __atomic_load_n(&p->writer, __ATOMIC_ACQUIRE);

	if ((writer != WRITER_STARTING && writer != WRITER_RUNNING) ||
		__atomic_load_n(&r->stalled, __ATOMIC_RELAXED)) {
		return false;
	}
	waymark_doorbell();
	sleep_for_room(r, turn, ROOM_WAIT_NS);
	return true;
}

bool waymark_make_room(struct process *p, struct recorder *r, uint32_t turn)
{
	switch (waymark_recorder_policy()) {
	case RECORDER_OVERWRITE:
		return evict(p, r, turn);
	case RECORDER_BLOCK:
		return wait_for_room(p, r, turn);
	case RECORDER_DISCARD:
		break;
	}
	return false;
}
