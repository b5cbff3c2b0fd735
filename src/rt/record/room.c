/* SPDX-License-Identifier: MIT */
/*
 * Memory for events: makes the recorder's buffer at the first event, and room in a full one. The
 * producer's slow path (recorder.c) calls.
 *
 * The thread that makes the buffer first makes everything that the consumer needs, then publishes
 * the buffer by one compare-and-swap, then names the trace. The thread blocks its signals, so that
 * no signal handler finds this half done. Other threads wait for it, so that an event whose call
 * has returned is in a trace with a name. They wait for a limited time, because the thread may be
 * stopped. Then each makes a buffer, and all but one free theirs.
 *
 * An event that finds no memory is lost (discard), frees the oldest packets itself (overwrite), or
 * waits for a consumer (block).
 */
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

#include "rt/host/error.h"
#include "rt/host/futex.h"
#include "rt/host/guard.h"
#include "rt/record/jail.h"
#include "rt/record/leftover.h"
#include "rt/record/recorder.h"
#include "rt/record/room.h"

/* How long threads wait for the one that makes the buffer. */
#define BEGIN_WAIT_NS UINT64_C(1000000000)
#define BEGIN_LOOK_NS UINT64_C(10000000)

#define BUFFER_DEFAULT (UINT64_C(256) << 20)

static struct buffer *fail(struct process *p, struct recorder *r)
{
	if (!__atomic_exchange_n(&r->no_memory, 1, __ATOMIC_RELAXED)) {
		waymark_notice(p, "no memory for a buffer: trace events are lost");
	}
	return NULL;
}

static void say_mortal(struct process *p, int why)
{
	char spare[REASON_BYTES];

	waymark_notice(p,
		"no file for the buffer: %s; events not yet written are lost if the process is killed",
		waymark_reason(why, spare));
}

/*
 * Publishes the buffer. Fails in a fork's child, whose recorder is wiped, for a buffer that its
 * parent began.
 */
static bool publish(struct recorder *r, struct buffer *b)
{
	struct buffer *wanted = BUFFER_WANTED;

	return __atomic_compare_exchange_n(
		&r->buffer, &wanted, b, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/*
 * Reports, once, that no buffer of the jail is free, or that the backend cannot record in a jail.
 */
static struct buffer *fail_in_jail(struct process *p, struct recorder *r, bool can_record)
{
	if (!__atomic_exchange_n(&r->no_memory, 1, __ATOMIC_RELAXED)) {
		waymark_notice(p,
			can_record
				? "jail= is too small: more processes record, and events of this one are lost; raise it"
				: "jail=: this backend records nothing in a jail: its events are lost; use ctf");
	}
	return NULL;
}

/* Takes a buffer that was made for the jail. */
static struct buffer *take(struct process *p, struct recorder *r)
{
	const struct consumer *consumer = recorder_consumer(p, r);
	struct buffer *b = consumer->declare ? waymark_jail_claim(p,
						       waymark_recorder_policy() == RECORDER_BLOCK)
					     : NULL;

	if (!b) {
		return fail_in_jail(p, r, consumer->declare);
	}
	b->file.overwrite = 0;
	consumer->begun(b);
	if (!publish(r, b)) {
		waymark_jail_unclaim(b);
		return recorder_buffer(r);
	}
	waymark_jail_show(b);
	madvise(b, b->file.bytes, MADV_DONTFORK);
	return b;
}

static struct buffer *make(struct process *p, struct recorder *r)
{
	const struct consumer *consumer = recorder_consumer(p, r);
	uint32_t pid = __atomic_load_n(&p->pid, __ATOMIC_RELAXED);
	struct buffer_place place = { .directory = NULL };
	int why;
	void *state = waymark_wiped_map(consumer->state_bytes);

	if (!state) {
		return fail(p, r);
	}
	consumer->begin(state, &place);
	place.in_trace = place.path && place.directory && waymark_leftovers_are_too_many();
	struct buffer *b =
		waymark_buffer_create(waymark_buffer_bytes(BUFFER_DEFAULT), &place, pid, &why);

	if (!b) {
		consumer->abandon(state);
		waymark_wiped_unmap(state, consumer->state_bytes);
		return fail(p, r);
	}
	b->state = state;
	b->file.overwrite = waymark_recorder_policy() == RECORDER_OVERWRITE;
	if (!publish(r, b)) {
		/*
		 * Another thread was first. In a fork's child it was the parent, whose files stay.
		 */
		bool mine = __atomic_load_n(&p->pid, __ATOMIC_RELAXED) == pid;

		if (mine) {
			consumer->abandon(state);
		}
		waymark_buffer_destroy(b, mine);
		waymark_wiped_unmap(state, consumer->state_bytes);
		return recorder_buffer(r);
	}
	madvise(b, b->file.bytes, MADV_DONTFORK);
	consumer->begun(b);
	if (why) {
		say_mortal(p, why);
	}
	if (!process_is_borrowed(p)) {
		waymark_crash_init();
	}
	return b;
}

static bool is_settled(const struct recorder *r)
{
	return __atomic_load_n(&r->begun, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&r->no_memory, __ATOMIC_RELAXED);
}

/* Waits for the thread that makes the buffer; returns false if that takes too long. */
static bool wait_for_begin(struct recorder *r)
{
	uint64_t deadline = waymark_clock_ns() + BEGIN_WAIT_NS;

	while (!is_settled(r) && waymark_clock_ns() < deadline) {
		futex_wait(&r->begun, 0, BEGIN_LOOK_NS);
	}
	return is_settled(r);
}

/* Makes the buffer, or waits for the thread that does; `late`: that takes too long. */
static void begin(struct process *p, struct recorder *r, bool late)
{
	struct buffer *none = BUFFER_NONE;
	struct guard guard;

	waymark_guard_begin(&guard);
	/* Several threads make a buffer if the first takes too long. */
	bool mine = __atomic_compare_exchange_n(&r->buffer, &none, BUFFER_WANTED, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    (late && !recorder_buffer(r));

	if (mine) {
		bool made = waymark_jail_is_on() ? take(p, r) : make(p, r);

		__atomic_store_n(&r->begun, made, __ATOMIC_RELEASE);
		futex_wake(&r->begun);
	}
	waymark_guard_end(&guard);
	if (!mine && !late && !wait_for_begin(r)) {
		begin(p, r, true);
	}
}

struct buffer *waymark_buffer_get(struct process *p, struct recorder *r)
{
	if (!is_settled(r)) {
		begin(p, r, false);
	}
	/* Repeated in the child of a fork by a signal handler, in which nothing has begun. */
	while (!recorder_buffer(r) && !is_settled(r)) {
		begin(p, r, false);
	}
	return recorder_buffer(r);
}

/* How long a thread waits for room before it checks whether a consumer still works. */
#define ROOM_WAIT_NS UINT64_C(50000000)

/* How long a drain may make no progress, in a jail. */
#define DRAIN_PATIENCE_NS UINT64_C(10000000000)

/*
 * How many times a thread tries to evict old events while others do the same, record, or write a
 * snapshot: first without a pause, then once a nap. This counts tries, not time, because on a busy
 * machine the threads that could make room get no time either.
 */
#define EVICT_AT_ONCE 16
#define EVICT_TRIES 100
#define SNAPSHOT_TRIES 20
#define NAP_NS UINT64_C(1000000)

/* How long no thread tries again after these tries failed. */
#define EVICT_PAUSE_NS UINT64_C(100000000)

/* Relaxed: read on its own, and mostly when the buffer is made. */
static uint32_t policy = RECORDER_DISCARD;

int waymark_recorder_set_policy(enum recorder_policy wanted, struct waymark_error *error)
{
	if (waymark_process_refuse_late("what a full buffer does", error)) {
		return -1;
	}
	__atomic_store_n(&policy, wanted, __ATOMIC_RELAXED);
	error_clear(error);
	return 0;
}

enum recorder_policy waymark_recorder_policy(void)
{
	return __atomic_load_n(&policy, __ATOMIC_RELAXED);
}

/*
 * The writer wakes within a millisecond, and then has the time in which threads fill the rest.
 * Where old packets are overwritten, it keeps 1/8 free (FREE_SHARE of evict.c): half of that may be
 * used meanwhile.
 */
bool waymark_is_filling(struct process *p, struct recorder *r)
{
	struct buffer *b = recorder_buffer(r);
	bool overwrites =
		waymark_recorder_policy() == RECORDER_OVERWRITE && recorder_consumer(p, r)->evict;
	uint32_t units = b ? b->units - b->file.first_unit : 0;

	return b && waymark_buffer_runs_low(b, overwrites ? units - units / 16 : units / 4);
}

/*
 * Frees some of the oldest packets, unless another thread drains. Signals are blocked meanwhile: a
 * handler would find the lock taken by its own thread.
 */
static bool try_evict(struct process *p, struct recorder *r)
{
	struct guard guard;
	bool done = false;

	if (__atomic_load_n(&p->drain_lock, __ATOMIC_RELAXED)) {
		return false; /* this check costs less than the guard */
	}
	waymark_guard_begin(&guard);
	if (waymark_drain_trylock(p)) {
		done = recorder_consumer(p, r)->evict(r);
		waymark_drain_unlock(p);
	}
	if (done) {
		__atomic_store_n(&r->evict_ns, 0, __ATOMIC_RELAXED); /* others may try again */
	}
	waymark_guard_end(&guard);
	return done;
}

/* Sleeps until a sub-buffer was freed since `turn`, for a while at most. */
static void sleep_for_room(struct recorder *r, uint32_t turn, uint64_t ns)
{
	if (recorder_is_jailed(r)) {
		struct buffer_jail *j = &recorder_buffer(r)->file.jail;

		__atomic_fetch_add(&j->waiting, 1, __ATOMIC_SEQ_CST);
		futex_wait_shared(&j->room, turn, ns);
		__atomic_fetch_sub(&j->waiting, 1, __ATOMIC_SEQ_CST);
		return;
	}
	__atomic_fetch_add(&r->waiting, 1, __ATOMIC_SEQ_CST);
	futex_wait(&r->room, turn, ns);
	__atomic_fetch_sub(&r->waiting, 1, __ATOMIC_SEQ_CST);
}

/*
 * With full=overwrite: makes room by evicting old events. Waits for another thread that does the
 * same, which will soon be done, and a short time for a consumer that writes a snapshot, which
 * frees memory as it writes. If that time passes without success, a disk hangs, or stopped threads
 * hold all memory inside their events. Then no thread tries again for EVICT_PAUSE_NS, unless
 * another one succeeds.
 */
static bool evict(struct process *p, struct recorder *r, struct room_wait *w)
{
	if (!recorder_consumer(p, r)->evict ||
		waymark_clock_ns() < __atomic_load_n(&r->evict_ns, __ATOMIC_RELAXED)) {
		return false;
	}
	if (try_evict(p, r) || __atomic_load_n(&r->room, __ATOMIC_ACQUIRE) != w->since) {
		w->since = __atomic_load_n(&r->room, __ATOMIC_ACQUIRE);
		w->tries = 0; /* some thread got room */
		return true;
	}
	bool writing = __atomic_load_n(&r->writing, __ATOMIC_RELAXED);

	w->tries = writing == w->was_writing ? w->tries + 1 : 0;
	w->was_writing = writing;
	if (w->tries < (writing ? SNAPSHOT_TRIES : EVICT_TRIES)) {
		if (w->tries < EVICT_AT_ONCE && !w->was_writing) {
			sched_yield();
		} else {
			sleep_for_room(r, w->turn, NAP_NS); /* writing files takes time */
		}
		return true;
	}
	__atomic_store_n(&r->evict_ns, waymark_clock_ns() + EVICT_PAUSE_NS, __ATOMIC_RELAXED);
	return false;
}

/*
 * Waits for another process that drains, while its counter of beats changes and for
 * DRAIN_PATIENCE_NS after that. Then no thread waits until the counter changes again.
 */
static bool wait_for_drain(struct recorder *r, uint32_t turn)
{
	uint32_t beats = __atomic_load_n(&recorder_buffer(r)->file.jail.beats, __ATOMIC_RELAXED);
	uint64_t since = __atomic_load_n(&r->beats_ns, __ATOMIC_RELAXED);
	uint64_t now = waymark_clock_ns();

	if (!since || beats != __atomic_load_n(&r->beats, __ATOMIC_RELAXED)) {
		__atomic_store_n(&r->beats, beats, __ATOMIC_RELAXED);
		__atomic_store_n(&r->beats_ns, now, __ATOMIC_RELAXED);
	} else if (now - since > DRAIN_PATIENCE_NS) {
		return false;
	}
	sleep_for_room(r, turn, ROOM_WAIT_NS);
	return true;
}

/* True if nothing is in use, and nothing was freed since w->turn. */
static bool is_idle(struct recorder *r, const struct room_wait *w)
{
	struct buffer *b = recorder_buffer(r);

	return b && __atomic_load_n(&b->used, __ATOMIC_ACQUIRE) == 0 &&
	       __atomic_load_n(&r->room, __ATOMIC_ACQUIRE) == w->turn;
}

/*
 * With full=block: waits until a sub-buffer was freed since w->turn, or for a while. Returns false
 * if no consumer works; or if nothing that is in use could be freed, as after the wait before: then
 * the buffer's file cannot get the memory that the event needs.
 */
static bool wait_for_room(struct process *p, struct recorder *r, struct room_wait *w)
{
	uint32_t writer = __atomic_load_n(&p->writer, __ATOMIC_ACQUIRE);

	if (waymark_jail_is_on()) {
		return recorder_is_jailed(r) && wait_for_drain(r, w->turn);
	}
	if ((writer != WRITER_STARTING && writer != WRITER_RUNNING) ||
		__atomic_load_n(&r->stalled, __ATOMIC_RELAXED)) {
		return false;
	}
	bool was_idle = w->was_idle;

	w->was_idle = is_idle(r, w);
	if (was_idle && w->was_idle) {
		return false;
	}
	waymark_doorbell();
	sleep_for_room(r, w->turn, ROOM_WAIT_NS);
	return true;
}

bool waymark_make_room(struct process *p, struct recorder *r, struct room_wait *w)
{
	switch (waymark_recorder_policy()) {
	case RECORDER_OVERWRITE:
		return evict(p, r, w);
	case RECORDER_BLOCK:
		return wait_for_room(p, r, w);
	case RECORDER_DISCARD:
		break;
	}
	return false;
}
