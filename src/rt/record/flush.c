/* SPDX-License-Identifier: MIT */
/*
 * Flushes: everything recorded before the call goes to its file. The writer thread does that, or
 * the caller if no writer runs (a fork's child, exit, a thread that could not be created).
 *
 * At the end of the process exit() and quick_exit() flush and report the losses. A crash wakes the
 * writer and waits for it for a bounded time; then the signal is sent again with its default
 * action, so that the exit status is the same, and a core shows the faulting instruction.
 *
 * A handler is installed only if the program has none when it records its first event, so that
 * sanitizers and the program's own handlers stay in charge. The crashed thread takes no lock and
 * writes to no memory but the process block, because the writer does all the work. Without a writer
 * the thread drains itself.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/host/futex.h"
#include "rt/host/guard.h"
#include "rt/host/message.h"
#include "rt/record/drain.h"
#include "rt/record/jail.h"
#include "rt/record/process.h"
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
 * Drains if there is no writer. The file is closed again, because the descriptors are the
 * program's. Signals stay blocked while the lock is held, because a handler that flushes would wait
 * for its own thread.
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

/*
 * Lets the writer drain everything recorded before the call; without a writer, drains it. Returns
 * false if the writer made no progress for `patience_ns`, or had not finished after `limit_ns`.
 * Async-signal-safe.
 */
static bool flush(struct process *p, uint64_t patience_ns, uint64_t limit_ns)
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

/* True if events stay in memory because their file takes nothing now. */
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
		return 0; /* in a jail only `waymark drain` writes events to files */
	}
	uint64_t unwritten = waymark_stats_status(p, NULL).unwritten;

	if (!flush(p, FLUSH_PATIENCE_NS, UINT64_MAX)) {
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

/* How long the end of the process, and a crash, wait for a writer that makes no progress. */
#define EXIT_PATIENCE_NS UINT64_C(3000000000)
#define CRASH_PATIENCE_NS UINT64_C(2000000000)

/* How long a crash waits at most, even for a file that still takes something. */
#define CRASH_LIMIT_NS UINT64_C(5000000000)

/* The signals that end a process without a crash come last. */
static const int crash_signals[] = { SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTERM, SIGINT,
	SIGHUP };

static const size_t counts[] = {
	[RECORDER_CRASH_OFF] = 0,
	[RECORDER_CRASH_ON] = 5,
	[RECORDER_CRASH_ALL] = ARRAY_SIZE(crash_signals),
};

/* Relaxed: set before the first event. */
static uint32_t which = RECORDER_CRASH_ON;

void waymark_recorder_set_crash_signals(enum recorder_crash signals)
{
	__atomic_store_n(&which, signals, __ATOMIC_RELAXED);
}

/* Returns the process's block if a flush makes sense and the caller is not the writer. */
static struct process *block_to_flush(void)
{
	struct process *p = waymark_process_current();

	/*
	 * In a vfork's child the trace belongs to the parent, which continues after the child's
	 * end.
	 */
	if (!p || !process_has_recorded(p) || process_is_borrowed(p) || waymark_jail_is_on() ||
		(uint32_t)syscall(SYS_gettid) ==
			__atomic_load_n(&p->writer_tid, __ATOMIC_RELAXED)) {
		return NULL;
	}
	return p;
}

/*
 * Returns the events that the calling thread is in according to its cursors: it has jumped out of
 * them, or will never return to them.
 */
static uint32_t left_events(struct slot *s)
{
	uint32_t bits = 0;

	for (int i = 0; s && i < WAYMARK_RECORDERS * CURSOR_DEPTHS; i++) {
		const struct cursor *c = &s->cursors[i / CURSOR_DEPTHS][i % CURSOR_DEPTHS];

		bits |= (uint32_t)(__atomic_load_n(&c->hot.busy, __ATOMIC_RELAXED) != 0) << i;
	}
	return bits;
}

/* Notes the ending thread and the events it will never finish. Call before requesting the flush. */
static void set_ending(struct process *p)
{
	__atomic_store_n(&p->ending_busy, left_events(waymark_slot_current()), __ATOMIC_RELAXED);
	__atomic_store_n(&p->ending_tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
}

/*
 * The first thread to crash flushes everything; others wait, because otherwise they would end the
 * process before.
 */
static void flush_at_crash(struct process *p)
{
	uint32_t none = CRASH_NONE;
	uint64_t deadline = waymark_clock_ns() + CRASH_LIMIT_NS;

	if (__atomic_compare_exchange_n(&p->crashed, &none, CRASH_FLUSHING, false, __ATOMIC_ACQ_REL,
		    __ATOMIC_ACQUIRE)) {
		set_ending(p);
		flush(p, CRASH_PATIENCE_NS, CRASH_LIMIT_NS);
		__atomic_store_n(&p->crashed, CRASH_FLUSHED, __ATOMIC_RELEASE);
		futex_wake(&p->crashed);
	}
	while (__atomic_load_n(&p->crashed, __ATOMIC_ACQUIRE) == CRASH_FLUSHING &&
		waymark_clock_ns() < deadline) {
		futex_wait(&p->crashed, CRASH_FLUSHING, CRASH_PATIENCE_NS / 100);
	}
}

/*
 * Sends the signal once more as it came, now with the default action, because not every signal
 * occurs again when the handler returns (a memory error that the processor found, a signal from
 * another process). A core dump shows the same in either case.
 */
static void on_crash(int sig, siginfo_t *info, void *context)
{
	struct process *p = block_to_flush();
	struct sigaction act = { .sa_handler = SIG_DFL };

	(void)context;
	if (p) {
		flush_at_crash(p);
	}
	sigaction(sig, &act, NULL);
	long tid = syscall(SYS_gettid);

	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, sig, info) < 0) {
		syscall(SYS_tgkill, getpid(), tid, sig);
	}
}

void waymark_crash_init(void)
{
	struct sigaction act = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction old;

	sigfillset(&act.sa_mask);
	for (size_t i = 0; i < counts[__atomic_load_n(&which, __ATOMIC_RELAXED)]; i++) {
		if (sigaction(crash_signals[i], NULL, &old) || (old.sa_flags & SA_SIGINFO) ||
			old.sa_handler != SIG_DFL) {
			continue;
		}
		sigaction(crash_signals[i], &act, &old);
		if ((old.sa_flags & SA_SIGINFO) || old.sa_handler != SIG_DFL) {
			sigaction(crash_signals[i], &old, NULL); /* another thread was faster */
		}
	}
}

/*
 * True if the program handles the signal. Our own handler does not count, because it records
 * nothing. A handler with SA_RESETHAND leaves its flags after it has run.
 */
static bool has_handler(int sig)
{
	struct sigaction act;

	if (sigaction(sig, NULL, &act)) {
		return false;
	}
	if (act.sa_flags & SA_SIGINFO) {
		return act.sa_sigaction != on_crash;
	}
	return (act.sa_flags & (int)SA_RESETHAND) ||
	       (act.sa_handler != SIG_DFL && act.sa_handler != SIG_IGN);
}

bool waymark_may_be_handler(void)
{
	sigset_t blocked;

	if (pthread_sigmask(SIG_SETMASK, NULL, &blocked)) {
		return true;
	}
	for (int sig = 1; sig < NSIG; sig++) {
		if (sigismember(&blocked, sig) == 1 && has_handler(sig)) {
			return true;
		}
	}
	return false;
}

/* Prints a line for each recorder with events that are lost or not in their file. */
static void report_losses(const struct process *p)
{
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		const struct recorder *r = &p->recorders[k];
		uint64_t lost = __atomic_load_n(&r->lost, __ATOMIC_RELAXED);
		struct consumer_status status = { 0 };
		char name[512];

		if (recorder_buffer(r)) {
			recorder_consumer(p, r)->get_status(r, &status);
		}
		if (lost + status.unwritten == 0 && !status.left) {
			continue;
		}
		recorder_consumer(p, r)->get_name(r, name, sizeof(name));
		if (status.left) {
			waymark_message("%s: %s", name, status.left);
		}
		if (lost + status.unwritten == 0) {
			continue;
		}
		waymark_message("%s: %llu events lost (%llu for lack of memory, %llu not written)",
			name, (unsigned long long)(lost + status.unwritten),
			(unsigned long long)lost, (unsigned long long)status.unwritten);
	}
}

/* True if other processes can read all memory of events when this one has ended. */
static bool outlives_process(const struct process *p)
{
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		const struct buffer *b = recorder_buffer(&p->recorders[k]);

		if (b && !b->is_file) {
			return false;
		}
	}
	return true;
}

void waymark_recorder_end(void)
{
	struct process *p = waymark_process_current();

	if (p && process_is_borrowed(p)) {
		return; /* exit() in a vfork's child: the parent does not end */
	}
	if (p && block_to_flush()) {
		set_ending(p);
		__atomic_store_n(&p->leaving, 1, __ATOMIC_RELEASE);
		if (!flush(p, EXIT_PATIENCE_NS, UINT64_MAX)) {
			waymark_message("the trace file accepts no data: %s",
				outlives_process(p) ? "waymark recover writes the last events"
						    : "the last events are lost");
		}
	}
	if (p) {
		waymark_jail_end(p);
		report_losses(p);
	}
	uint64_t lost = waymark_stats_lost_early();

	if (lost) {
		waymark_message("%llu events lost for lack of memory", (unsigned long long)lost);
	}
}

/*
 * Runs late, after the destructors of all objects on which this one does not depend. The writer
 * keeps running, and events of even later destructors wake it immediately.
 */
__attribute__((destructor(101))) static void at_exit(void)
{
	waymark_recorder_end();
}

__attribute__((constructor(101))) static void watch_quick_exit(void)
{
	at_quick_exit(waymark_recorder_end);
}
