/* SPDX-License-Identifier: MIT */
/*
 * The first event makes the buffer and what its consumer needs: all of it, then
 * one compare-and-swap shows it to everybody, then the trace gets its name. The
 * thread that does it blocks its signals, so no handler can find it half done,
 * and others wait for it: an event whose call has returned is found by name. They
 * wait for a while only, because it may be stopped. Then each makes one, and all
 * but one throw theirs away.
 */
#include <errno.h>
#include <sys/mman.h>

#include "rt/host/error.h"
#include "rt/host/futex.h"
#include "rt/host/guard.h"
#include "rt/record/begin.h"
#include "rt/record/crash.h"
#include "rt/record/jail.h"
#include "rt/record/leftovers.h"
#include "rt/record/recorder.h"
#include "rt/record/wiped.h"

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

/* Frees what lost the race; in a fork's child it is the parent's, so nothing is removed there. */
static void throw_away(const struct consumer *consumer, struct buffer *b, void *state, bool mine)
{
	if (mine) {
		consumer->abandon(state);
	}
	waymark_buffer_destroy(b, mine);
	waymark_wiped_unmap(state, consumer->state_bytes);
}

/*
 * Publishes the buffer. A fork's child, where the recorder is wiped, does not get
 * so far with what its parent had begun.
 */
static bool publish(struct recorder *r, struct buffer *b)
{
	struct buffer *wanted = BUFFER_WANTED;

	return __atomic_compare_exchange_n(
		&r->buffer, &wanted, b, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Where none is left, or the backend has files of its own. */
static struct buffer *fail_in_jail(struct process *p, struct recorder *r, bool can_record)
{
	if (!__atomic_exchange_n(&r->no_memory, 1, __ATOMIC_RELAXED)) {
		waymark_notice(p,
			can_record
				? "jail= is too small: more processes record, and events of this one are lost; raise it"
				: "jail=: the backend simple records nothing in a jail: its events are lost");
	}
	return NULL;
}

/* Takes one that was made for the jail. */
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
		throw_away(consumer, b, state, __atomic_load_n(&p->pid, __ATOMIC_RELAXED) == pid);
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

/* Whether the caller is the one who makes the buffer. */
static bool claim(struct recorder *r)
{
	struct buffer *none = BUFFER_NONE;

	return __atomic_compare_exchange_n(
		&r->buffer, &none, BUFFER_WANTED, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static bool is_settled(const struct recorder *r)
{
	return __atomic_load_n(&r->begun, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&r->no_memory, __ATOMIC_RELAXED);
}

/* Waits for the thread that makes the buffer; false when that takes too long. */
static bool wait_for_begin(struct recorder *r)
{
	uint64_t deadline = waymark_clock_ns() + BEGIN_WAIT_NS;

	while (!is_settled(r) && waymark_clock_ns() < deadline) {
		futex_wait(&r->begun, 0, BEGIN_LOOK_NS);
	}
	return is_settled(r);
}

/* Makes the buffer, or waits for who does; `late`: he has taken too long. */
static void begin(struct process *p, struct recorder *r, bool late)
{
	struct guard guard;

	waymark_guard_begin(&guard);
	bool mine = claim(r) || (late && !recorder_buffer(r));

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
	/* Again in the child of a fork by a handler: nothing has begun there. */
	while (!recorder_buffer(r) && !is_settled(r)) {
		begin(p, r, false);
	}
	return recorder_buffer(r);
}
