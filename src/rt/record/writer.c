/* SPDX-License-Identifier: MIT */
/*
 * The writer thread. While awake it makes passes; between them it sleeps a tick, or until a
 * producer rings the doorbell because memory is filling up. After a quiet second it takes every
 * packet's limit away, so that the next event of any thread must ring. Once nothing is left to
 * write, it gives memory back some seconds later and sleeps without a timeout, so that tracing does
 * not wake an idle program.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <waymark/record.h>

#include "rt/host/futex.h"
#include "rt/host/thread.h"
#include "rt/record/drain.h"
#include "rt/record/leftover.h"
#include "rt/record/recorder.h"

#define MS UINT64_C(1000000)

/* Ticks begin short, because the process may end soon, and get longer. */
#define TICK_FIRST_NS (1 * MS)
#define TICK_BUSY_NS (10 * MS) /* while packets fill: little memory is in use at a time */
#define TICK_NS (100 * MS)
#define QUIET_NS (1000 * MS)
#define TRIM_NS (5000 * MS)

/*
 * A thread's limit is taken away at least this often, even if others are busy, because an event's
 * 48 bits of clock are unique only for some fifteen hours after the event before it.
 */
#define EXPIRE_NS (3600 * QUIET_NS)

/*
 * After this many checks of a thread that stopped inside an event, the writer checks only each
 * QUIET_NS.
 */
#define REFUSALS 10u

/* After a pass of at least this many events the writer makes the next one immediately. */
#define BUSY_EVENTS 4096u

/* The state of the writer's rest. */
struct rest {
	uint64_t tick;
	uint64_t quiet_since; /* ns */
	uint64_t expired_at; /* ns */
	bool expired;
	bool trimmed;
	uint32_t refusals; /* of the deep sleep, in a row */
};

static void drain_lock(struct process *p)
{
	while (!waymark_drain_trylock(p)) {
		futex_wait(&p->drain_lock, 1, MS);
	}
}

/*
 * Sleeps. The writer always holds the drain lock, but with full=overwrite not while it sleeps,
 * because then threads evict events themselves.
 */
static void sleep_until_rung(struct process *p, uint64_t ns)
{
	bool lend = waymark_recorder_policy() == RECORDER_OVERWRITE;

	if (lend) {
		waymark_drain_unlock(p);
	}
	futex_wait(&p->doorbell, 1, ns);
	if (lend) {
		drain_lock(p);
	}
}

enum wake { WAKE_RUNG, WAKE_TIMEOUT, WAKE_REFUSED };

/*
 * Sleeps until the doorbell rings, at most `ns`. With `deep` sleeps only if nothing can be recorded
 * without a ring, otherwise returns WAKE_REFUSED. That is checked again after the store, which
 * pairs with the exchange of waymark_doorbell().
 */
static enum wake listen(struct process *p, uint64_t ns, bool deep)
{
	bool refused = false;

	__atomic_store_n(&p->doorbell, 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* an ordered store could still pass later loads */
	if (process_has_flush(p) ||
		__atomic_load_n(&p->snapshots, __ATOMIC_ACQUIRE) != p->snapshots_seen) {
		__atomic_store_n(&p->doorbell, 0, __ATOMIC_SEQ_CST);
		return WAKE_RUNG;
	}
	if (deep && !waymark_drain_is_quiet(p)) {
		refused = true;
	} else {
		sleep_until_rung(p, ns);
	}
	if (!__atomic_exchange_n(&p->doorbell, 0, __ATOMIC_SEQ_CST)) {
		return WAKE_RUNG;
	}
	return refused ? WAKE_REFUSED : WAKE_TIMEOUT;
}

/* True if no consumer holds back events that it will write without a request. */
static bool has_finished(const struct process *p)
{
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		struct recorder *r = (struct recorder *)&p->recorders[k];

		if (recorder_buffer(r) && !waymark_consumers[k]->has_finished(r)) {
			return false;
		}
	}
	return true;
}

static void settle(struct process *p)
{
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		if (recorder_buffer(&p->recorders[k])) {
			waymark_consumers[k]->settle(&p->recorders[k]);
		}
	}
}

/* Calls `care` for each buffer. */
static void each_buffer(const struct process *p, void (*care)(struct buffer *b))
{
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		struct buffer *b = recorder_buffer(&p->recorders[k]);

		if (b) {
			care(b);
		}
	}
}

/* One round of work; returns how much it found. */
static uint64_t work(struct process *p)
{
	uint32_t wanted = __atomic_load_n(&p->flush_wanted, __ATOMIC_ACQUIRE);
	bool flush = wanted != __atomic_load_n(&p->flush_done, __ATOMIC_RELAXED);

	p->snapshots_seen = __atomic_load_n(&p->snapshots, __ATOMIC_ACQUIRE);
	uint64_t taken = waymark_drain_pass(p, waymark_drain_mode(p));

	if (__atomic_load_n(&p->leaving, __ATOMIC_RELAXED) ||
		__atomic_load_n(&p->notices_wait, __ATOMIC_RELAXED)) {
		settle(p);
		waymark_drain_expire();
	}
	if (flush) {
		__atomic_store_n(&p->flush_done, wanted, __ATOMIC_RELEASE);
		futex_wake(&p->flush_done);
	}
	return taken;
}

/*
 * Sleeps with every limit taken away: first until memory must be trimmed, then without a timeout.
 */
static void rest_deeply(struct process *p, struct rest *rest)
{
	switch (listen(p, rest->trimmed ? FUTEX_FOREVER : TRIM_NS, true)) {
	case WAKE_TIMEOUT:
		waymark_drain_find_dead();
		each_buffer(p, waymark_buffer_trim);
		rest->trimmed = true;
		break;
	case WAKE_REFUSED: /* a thread stopped inside an event, or one was just recorded */
		rest->expired = false;
		if (++rest->refusals > REFUSALS) {
			rest->tick = QUIET_NS;
		}
		break;
	case WAKE_RUNG:
		rest->expired = false;
		rest->tick = TICK_NS;
		break;
	}
	rest->quiet_since = waymark_clock_ns();
}

/*
 * Sleeps as long as `events`, the result of the last pass, allows. There is a tick between taking
 * the limits away and the deep sleep, long enough for other processors to see the stores, so that
 * the check in listen() is exact.
 */
static void take_rest(struct process *p, struct rest *rest, uint64_t events)
{
	uint64_t now = waymark_clock_ns();

	if (events > 0) {
		rest->quiet_since = now;
		rest->expired = rest->trimmed = false;
		rest->refusals = 0;
	}
	if (now - rest->expired_at >= EXPIRE_NS) {
		waymark_drain_expire();
		rest->expired_at = now;
	}
	if (events >= BUSY_EVENTS) {
		rest->tick = rest->tick < TICK_BUSY_NS ? rest->tick : TICK_BUSY_NS;
		return;
	}
	if (rest->expired && has_finished(p)) {
		rest_deeply(p, rest);
		return;
	}
	each_buffer(p, waymark_buffer_populate);
	if (now - rest->quiet_since >= QUIET_NS) {
		settle(p);
		waymark_drain_find_dead(); /* an event that a dead thread began is never written */
		waymark_drain_expire();
		rest->expired = true;
		rest->quiet_since = now;
	}
	if (__atomic_load_n(&p->leaving, __ATOMIC_RELAXED)) {
		rest->tick = TICK_FIRST_NS;
	}
	enum wake wake = listen(p, rest->tick, false);

	if (wake == WAKE_RUNG) {
		rest->expired = false; /* the tick was cut short */
	}
	if (wake == WAKE_RUNG || rest->tick < TICK_NS) {
		rest->tick = rest->tick * 2 < TICK_NS ? rest->tick * 2 : TICK_NS;
	}
}

/* `arg`: the struct process. */
static void *writer_main(void *arg)
{
	struct process *p = arg;
	uint64_t now = waymark_clock_ns();
	struct rest rest = { .tick = TICK_FIRST_NS, .quiet_since = now, .expired_at = now };

	waymark_thread_begin();
	prctl(PR_SET_NAME, "waymark");
	bool owns = waymark_own_descriptors(-1, -1) == 0; /* if refused, it uses the program's */

	__atomic_store_n(&p->writer_tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
	drain_lock(p); /* a caller may have drained before there was a writer */
	__atomic_store_n(&p->writer, WRITER_RUNNING, __ATOMIC_RELEASE);
	take_rest(p, &rest, work(p));
	if (owns) {
		waymark_leftovers_begin(p);
	}
	for (;;) {
		take_rest(p, &rest, work(p));
	}
	return NULL;
}

void waymark_writer_start(void)
{
	struct process *p = waymark_process_current();
	uint32_t none = WRITER_NONE;
	sigset_t all, saved;

	if (!p || __atomic_load_n(&p->writer, __ATOMIC_RELAXED) != WRITER_NONE) {
		return;
	}
	/*
	 * Signals are blocked before other threads wait for the writer, because a signal handler
	 * here that waited would wait for its own thread.
	 */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	if (__atomic_compare_exchange_n(&p->writer, &none, WRITER_STARTING, false, __ATOMIC_ACQ_REL,
		    __ATOMIC_RELAXED) &&
		waymark_thread_start(writer_main, p)) {
		__atomic_store_n(&p->writer, WRITER_REFUSED, __ATOMIC_RELEASE);
		waymark_notice(p, "cannot start a thread: events are written at exit only");
	}
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}
