/* SPDX-License-Identifier: MIT */
/*
 * Flushes: everything recorded before the call goes to its file. The writer thread does it, or
 * the caller where no writer runs (a fork's child, exit, a thread that was refused). The program,
 * its exit and its crash handler call.
 */
#include <errno.h>

#include "rt/host/futex.h"
#include "rt/host/guard.h"
#include "rt/record/drain.h"
#include "rt/record/flush.h"
#include "rt/record/recorder.h"
#include "rt/record/stats.h"

/* How long the program's flush waits for a writer that makes no progress. */
#define FLUSH_PATIENCE_NS UINT64_C(10000000000)

#define POLL_NS UINT64_C(20000000)
#define LOCK_POLL_NS UINT64_C(1000000)

/* Waits until the writer has served this flush, as long as it makes progress. */
static bool flush_by_writer(struct process *p, uint64_t patience_ns, uint64_t limit_ns)
{
	uint64_t begin = waymark_clock_ns();
	uint32_t ticket = __atomic_add_fetch(&p->flush_wanted, 1, __ATOMIC_ACQ_REL);
	uint64_t progress = 0;
	uint64_t deadline = 0;
	uint32_t done;

	waymark_doorbell();
	while (done = __atomic_load_n(&p->flush_done, __ATOMIC_ACQUIRE),
		(int32_t)(done - ticket) < 0) {
		uint64_t now = waymark_clock_ns();
		uint64_t seen = waymark_stats_status(p, NULL).progress;

		if (!deadline || seen != progress) {
			progress = seen;
			deadline = now + patience_ns;
		}
		if (now >= deadline || now - begin >= limit_ns) {
			return false;
		}
		futex_wait(&p->flush_done, done, POLL_NS);
	}
	return true;
}

/*
 * Drains where there is no writer. The file is closed again: the descriptors are
 * the program's. Signals stay blocked while the lock is held: a handler that flushes
 * would wait for it in vain.
 */
static bool flush_by_caller(struct process *p, uint64_t patience_ns)
{
	uint64_t deadline = waymark_clock_ns() + patience_ns;
	struct guard guard;

	for (;;) {
		waymark_guard_begin(&guard);
		if (waymark_drain_trylock(p)) {
			break;
		}
		waymark_guard_end(&guard);
		if (waymark_clock_ns() >= deadline) {
			return false;
		}
		futex_wait(&p->drain_lock, 1, LOCK_POLL_NS);
	}
	enum drain_mode mode = waymark_drain_mode(p);

	waymark_drain_pass(p, mode == DRAIN_USUAL ? DRAIN_FLUSH : mode);
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		if (recorder_buffer(&p->recorders[k])) {
			waymark_consumers[k]->pause(&p->recorders[k]);
		}
	}
	waymark_drain_unlock(p);
	waymark_guard_end(&guard);
	return true;
}

bool waymark_flush_wait(struct process *p, uint64_t patience_ns, uint64_t limit_ns)
{
	uint32_t writer = __atomic_load_n(&p->writer, __ATOMIC_ACQUIRE);
	bool ok = true;

	if (writer == WRITER_STARTING || writer == WRITER_RUNNING) {
		ok = flush_by_writer(p, patience_ns, limit_ns);
	} else {
		ok = flush_by_caller(p, patience_ns);
	}
	waymark_notice_say(p);
	return ok;
}

/* Whether events stay in memory because their file takes nothing now. */
static bool is_stalled(const struct process *p)
{
	bool stalled = false;

	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		stalled |= __atomic_load_n(&p->recorders[k].stalled, __ATOMIC_RELAXED);
	}
	return stalled;
}

int waymark_recorder_flush(void)
{
	struct process *p = waymark_process_current();

	if (!p || !process_has_recorded(p) || waymark_jail_is_on()) {
		return 0; /* in a jail what is in memory is as safe as it can be from here */
	}
	uint64_t unwritten = waymark_stats_status(p, NULL).unwritten;

	if (!waymark_flush_wait(p, FLUSH_PATIENCE_NS, UINT64_MAX)) {
		errno = ETIMEDOUT;
		return -1;
	}
	struct consumer_status now = waymark_stats_status(p, NULL);

	if (now.unwritten == unwritten && !is_stalled(p)) {
		return 0;
	}
	errno = now.error ? now.error : EIO;
	return -1;
}

void waymark_recorder_snapshot(void)
{
	struct process *p = waymark_process_current();

	if (p) {
		__atomic_fetch_add(&p->snapshots, 1, __ATOMIC_RELEASE);
		waymark_doorbell();
	}
}
