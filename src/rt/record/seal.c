/* SPDX-License-Identifier: MIT */
/*
 * Prevents threads from recording into a trace that was ended: see seal.h for the protocol. The
 * consumer sets, lifts and finishes the seal; the producer's slow path waits at it.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/host/futex.h"
#include "rt/record/buffer.h"
#include "rt/record/seal.h"

enum seal { SEAL_NONE, SEAL_SET, SEAL_BROKEN };

/* How long threads wait for the end of a process that has ended its trace. */
#define SEAL_PATIENCE_NS UINT64_C(1000000000)

bool waymark_seal_set(struct recorder *r)
{
	uint32_t seal = __atomic_load_n(&r->seal, __ATOMIC_RELAXED);

	if (seal == SEAL_NONE) {
		__atomic_store_n(&r->seal_passed, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&r->sealed_ns, waymark_clock_ns(), __ATOMIC_RELAXED);
		__atomic_store_n(&r->seal, SEAL_SET, __ATOMIC_SEQ_CST);
	}
	return seal != SEAL_BROKEN;
}

void waymark_seal_lift(struct recorder *r)
{
	uint32_t seal = SEAL_SET;

	__atomic_compare_exchange_n(
		&r->seal, &seal, SEAL_NONE, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	futex_wake(&r->seal);
}

bool waymark_seal_holds(const struct recorder *r)
{
	return __atomic_load_n(&r->seal, __ATOMIC_SEQ_CST) == SEAL_SET;
}

bool waymark_seal_finish(struct recorder *r)
{
	__atomic_store_n(&r->seal_final, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&r->seal_passed, __ATOMIC_SEQ_CST)) {
		return true;
	}
	__atomic_store_n(&r->seal_final, 0, __ATOMIC_RELAXED);
	return false;
}

bool waymark_seal_is_final(const struct recorder *r)
{
	return __atomic_load_n(&r->seal_final, __ATOMIC_RELAXED);
}

/* Sleeps for the time that is left, or less; if none is left, breaks the seal. */
static void wait_for_the_end(struct recorder *r)
{
	uint64_t since = waymark_clock_ns() - __atomic_load_n(&r->sealed_ns, __ATOMIC_RELAXED);
	uint32_t seal = SEAL_SET;

	if (since < SEAL_PATIENCE_NS) {
		futex_wait(&r->seal, SEAL_SET, SEAL_PATIENCE_NS - since);
	} else if (__atomic_compare_exchange_n(&r->seal, &seal, SEAL_BROKEN, false,
			   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
		futex_wake(&r->seal);
	}
}

/*
 * True also in a vfork's child, because the ending thread may be the parent's, which waits for the
 * child.
 */
static NOINLINE bool is_ending_thread(const struct process *p)
{
	return __atomic_load_n(&p->ending_tid, __ATOMIC_RELAXED) == (uint32_t)syscall(SYS_gettid) ||
	       process_is_borrowed(p);
}

/*
 * Records in spite of the seal. The buffer may be gone, so events recorded now are lost unless the
 * writer takes them before the process ends.
 */
static NOINLINE void pass_the_seal(struct process *p, struct recorder *r)
{
	const struct buffer *b = recorder_buffer(r);

	__atomic_store_n(&r->seal_passed, 1, __ATOMIC_SEQ_CST);
	if (b && __atomic_load_n(&r->seal_final, __ATOMIC_SEQ_CST) &&
		!__atomic_exchange_n(&r->seal_reported, 1, __ATOMIC_RELAXED)) {
		waymark_notice(p,
			"%s: events were recorded after the trace was complete: the last of "
			"them may be missing",
			b->file.traces[__atomic_load_n(&b->file.turn, __ATOMIC_ACQUIRE) % 2]
				.directory);
	}
}

void waymark_seal_wait(struct process *p, struct recorder *r, struct cursor *c)
{
	/* An exchange, so that the mark is stored before the seal is read. */
	__atomic_exchange_n(&c->hot.busy, 1, __ATOMIC_SEQ_CST);
	while (UNLIKELY(waymark_seal_holds(r)) && !is_ending_thread(p)) {
		/*
		 * The thread is in no event meanwhile; the next event of a signal handler waits as
		 * well.
		 */
		__atomic_store_n(&c->hot.limit, NULL, __ATOMIC_RELAXED);
		__atomic_store_n(&c->hot.busy, 0, __ATOMIC_RELEASE);
		wait_for_the_end(r);
		__atomic_exchange_n(&c->hot.busy, 1, __ATOMIC_SEQ_CST);
	}
	if (UNLIKELY(__atomic_load_n(&r->seal, __ATOMIC_SEQ_CST) != SEAL_NONE)) {
		pass_the_seal(p, r);
	}
}
