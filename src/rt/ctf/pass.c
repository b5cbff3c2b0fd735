/* SPDX-License-Identifier: MIT */
/*
 * The consumer of the sink `ctf`: closed packets go to the stream files as they are. A packet whose
 * events have waited for long is closed by its thread when that records again; otherwise the
 * consumer takes it. With full=overwrite packets are written only on demand, and a usual pass only
 * keeps some memory free (evict.c).
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "rt/ctf/family.h"
#include "rt/ctf/packets.h"
#include "rt/ctf/pass.h"
#include "rt/event/registry.h"
#include "rt/host/error.h"
#include "rt/host/futex.h"
#include "rt/host/line.h"
#include "rt/record/close.h"
#include "rt/record/recorder.h"
#include "rt/record/seal.h"
#include "rt/record/stats.h"

/* How long the end of the process waits for threads to come to the seal; they may have no CPU. */
#define STOP_NS UINT64_C(500000000)

/* How long a flush waits for threads that are in an event. */
#define FLUSH_ROUNDS 20

/*
 * The same with full=overwrite, longer because events that the flush misses may be evicted later,
 * and a thread may have no CPU.
 */
#define OVERWRITE_ROUNDS 1000

/* Time without a new try after an error. */
#define RETRY_NS UINT64_C(200000000)

/*
 * The clock's rate is written again when the trace is this many times as old as at the last time.
 */
#define REFINE_FACTOR 8u

static struct ctf_state *state_of(const struct recorder *r)
{
	return recorder_buffer(r)->state;
}

/* Calls a function for every cursor of every thread. */
static void each_cursor(
	struct ctf_round *round, void (*what)(struct ctf_round *round, struct cursor *c))
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		foreach_ctf_cursor(c, s)
		{
			what(round, c);
		}
	}
}

/* The thread is gone, so no later packet can report its losses: report them here. */
static void report_orphan(struct ctf_round *round, const struct slot *s, struct cursor *c)
{
	if (c->draining.discarded != __atomic_load_n(&c->lost, __ATOMIC_RELAXED) &&
		!waymark_slot_is_owned(s)) {
		waymark_ctf_cursor_report(round, c);
	}
}

static void usual(struct ctf_round *round)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		foreach_ctf_cursor(c, s)
		{
			if (slot_is_left(s)) {
				waymark_ctf_cursor_leave(round, c);
			}
			waymark_ctf_cursor_pass(round, c);
			report_orphan(round, s, c);
		}
	}
}

static uint32_t count_awaited(struct ctf_round *round)
{
	uint32_t count = 0;
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		foreach_ctf_cursor(c, s)
		{
			count += waymark_ctf_cursor_is_awaited(round, c);
		}
	}
	return count;
}

/*
 * Takes packets by force, except from threads that may continue their events before the process
 * ends, if the buffer outlives the process.
 */
static void force_closing(const struct process *p, struct ctf_round *round)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		bool stays = round->buffer->is_file && waymark_drain_may_record(p, s);

		foreach_ctf_cursor(c, s)
		{
			if (!stays && waymark_ctf_cursor_is_closing(round, c)) {
				waymark_ctf_cursor_force(round, c);
			}
		}
	}
}

/* Returns how many times a flush checks threads that are in an event. */
static int flush_rounds(const struct process *p, enum drain_mode mode)
{
	bool ends = __atomic_load_n(&p->leaving, __ATOMIC_RELAXED) ||
		    __atomic_load_n(&p->crashed, __ATOMIC_RELAXED);

	return mode == DRAIN_FLUSH && !ends && waymark_recorder_policy() == RECORDER_OVERWRITE
		       ? OVERWRITE_ROUNDS
		       : FLUSH_ROUNDS;
}

/*
 * Makes room for threads that record while the flush waits, by evicting packets begun since the
 * pass began.
 */
static void make_room(struct ctf_round *round)
{
	if (!round->failed && waymark_recorder_policy() == RECORDER_OVERWRITE) {
		round->keep_until = round->now.ticks;
		waymark_ctf_keep_room(round);
	}
}

/* Writes everything recorded before the call, except for threads that are inside an event. */
static void flush(const struct process *p, struct ctf_round *round, enum drain_mode mode)
{
	usual(round); /* makes open packets the oldest, because only those are closed */
	each_cursor(round, waymark_ctf_cursor_close);
	usual(round);
	for (int i = 0; (round->missed = count_awaited(round)) > 0; i++) {
		if (round->failed || i >= flush_rounds(p, mode)) {
			break;
		}
		futex_sleep(CLOSE_SETTLE_NS);
		usual(round);
		make_room(round);
	}
	usual(round); /* packets that threads closed between the last pass and the count */
}

/*
 * Stops threads that still record at the seal, and writes what they recorded before: without a
 * limit, a thread's next event takes the slow path, which waits at the seal.
 */
static void stop_threads(const struct process *p, struct ctf_round *round, enum drain_mode mode)
{
	uint64_t deadline = round->now.ns + STOP_NS;

	if (waymark_drain_is_alone(p) || !waymark_seal_set(round->recorder)) {
		return;
	}
	while (!round->failed && !waymark_ctf_is_still(p, round) && waymark_clock_ns() < deadline) {
		round->now = waymark_clock_pair(); /* packets begun before are not new any more */
		flush(p, round, mode);
	}
}

/* Gives the trace's name, as far as it is known. */
static void get_name(const struct recorder *r, char *name, size_t size)
{
	const struct buffer *b = recorder_buffer(r);
	const struct ctf_config *config = waymark_ctf_config();

	if (b && b->state && waymark_ctf_get_path(&state_of(r)->trace, name, size)) {
		return;
	}
	struct line l;

	line_init(&l, name, size);
	if (!config || !config->path[0]) {
		waymark_line_put(&l, "trace-%u.ctf", (unsigned int)getpid());
	} else if (config->is_folder) {
		waymark_line_put(&l, "%s/%u", config->path, (unsigned int)getpid());
	} else {
		waymark_line_put(&l, "%s", config->path);
	}
}

/* Reports once that the file takes nothing, and again only after it has taken something. */
static void note_failure(struct process *p, struct ctf_round *round)
{
	struct ctf_state *state = round->state;
	char spare[REASON_BYTES];
	char name[300];

	__atomic_store_n(&round->recorder->stalled, round->failed, __ATOMIC_RELAXED);
	if (!round->failed) {
		state->complained = false;
		return;
	}
	if (round->now.ns >= state->retry_ns) { /* otherwise nothing was tried */
		state->retry_ns = round->now.ns + RETRY_NS;
	}
	if (!state->complained) {
		state->complained = true;
		get_name(round->recorder, name, sizeof(name));
		if (state->trace.path[0] && waymark_ctf_is_gone(&state->trace)) {
			waymark_notice(p,
				"%s: the trace's directory is gone: %s; events stay in memory "
				"until another one is named, or the process ends",
				name, waymark_reason(ENOENT, spare));
			return;
		}
		waymark_notice(p,
			"%s: cannot write the trace: %s; events wait in memory until it works",
			name, waymark_reason(state->files.error, spare));
	}
}

static void care_for_metadata(struct ctf_round *round, enum drain_mode mode)
{
	struct ctf_state *state = round->state;
	uint64_t age = round->now.ticks - round->buffer->file.begin.ticks;

	if (!round->failed && !waymark_ctf_declare(&state->trace)) {
		waymark_ctf_fail(&state->files, errno);
		round->failed = true; /* no event is written before its declaration */
	}
	if (round->failed || mode != DRAIN_USUAL || state->finished ||
		age <= REFINE_FACTOR * state->refined || round->now.ns < state->refine_ns) {
		return;
	}
	if (waymark_ctf_refine(&state->trace, &round->buffer->file.now)) {
		state->refined = age;
	} else {
		state->refine_ns = round->now.ns + RETRY_NS; /* the former rate will do */
	}
}

/* Notes totals for other processes that read the buffer file, such as `waymark ls`. */
static void note_totals(const struct process *p, struct buffer *b)
{
	struct tally sum = { 0 };
	struct buffer_totals totals;

	waymark_stats_add_all(p, &sum);
	totals.recorded = sum.recorded;
	totals.lost = sum.lost;
	waymark_registry_count(&totals.events, &totals.events_on);
	waymark_buffer_set_totals(b, &totals);
}

static struct ctf_round begin_round(struct process *p, struct recorder *r)
{
	struct buffer *b = recorder_buffer(r);
	struct clock_pair now = waymark_clock_pair();
	struct clock_pair begin = { b->file.begin.ticks, b->file.begin.monotonic_ns };
	struct ctf_round round = {
		.recorder = r,
		.buffer = b,
		.state = state_of(r),
		.now = now,
		.discard = state_of(r)->is_off,
	};

	waymark_buffer_set_clock(b, now);
	note_totals(p, b);
	waymark_drain_measure(p, begin, now);
	uint64_t moments = waymark_recorder_delay() / UINT64_C(100000000);

	round.close_before = now.ticks - moments * __atomic_load_n(&p->moment, __ATOMIC_RELAXED);
	if (__atomic_load_n(&r->waiting, __ATOMIC_RELAXED)) {
		round.close_before = now.ticks; /* quiet threads may have all the memory */
	}
	return round;
}

/* True if events must be written, also because of a snapshot or a flush with full=overwrite. */
static bool must_write(struct process *p, struct ctf_state *state, enum drain_mode *mode)
{
	uint32_t asked = __atomic_load_n(&p->snapshots, __ATOMIC_ACQUIRE);

	if (waymark_recorder_policy() != RECORDER_OVERWRITE || *mode != DRAIN_USUAL) {
		state->snapshots = asked;
		return true;
	}
	if (asked == state->snapshots) {
		return false;
	}
	state->snapshots = asked;
	*mode = DRAIN_FLUSH;
	return true;
}

static uint64_t pass(struct process *p, struct recorder *r, enum drain_mode mode)
{
	struct ctf_round round = begin_round(p, r);
	struct ctf_state *state = round.state;

	if (!__atomic_load_n(&state->trace.named, __ATOMIC_ACQUIRE)) {
		return 0; /* the thread that begins the trace has not finished */
	}
	if (!must_write(p, state, &mode)) {
		waymark_ctf_keep_room(&round);
		state->left = false;
		return round.taken;
	}
	if (mode == DRAIN_FLUSH) {
		round.snapshot = __atomic_load_n(&state->snapshot, __ATOMIC_ACQUIRE);
	}
	waymark_ctf_sync(&round, mode);
	/*
	 * Also after the end was tried, because the process may end at any moment and leave a torn
	 * write.
	 */
	if ((mode == DRAIN_USUAL || state->ended) && round.now.ns < state->retry_ns) {
		return 0;
	}
	__atomic_store_n(&r->writing, 1, __ATOMIC_RELAXED);
	care_for_metadata(&round, mode);
	if (mode == DRAIN_USUAL) {
		usual(&round);
	} else {
		flush(p, &round, mode);
		if (mode != DRAIN_FLUSH) {
			force_closing(p, &round);
		}
	}
	if (mode == DRAIN_END) {
		stop_threads(p, &round, mode);
	}
	waymark_ctf_snapshot_end(&round, mode);
	note_failure(p, &round);
	state->left = round.left || round.failed;
	if (mode == DRAIN_END || (mode == DRAIN_CRASH && waymark_drain_is_alone(p))) {
		waymark_ctf_end(p, &round);
		if (round.failed) { /* without a file the events were reported as lost */
			state->retry_ns =
				round.buffer->is_file ? round.now.ns + RETRY_NS : UINT64_MAX;
		}
		state->ended = true;
	}
	__atomic_store_n(&r->writing, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&r->evict_ns, 0, __ATOMIC_RELAXED); /* threads waited for this pass */
	return round.taken / 32;
}

/* Reports no losses, because the buffer shows them; uses the quiet time for dead kin. */
static void settle(struct recorder *r)
{
	waymark_ctf_finish_kin(state_of(r));
}

static bool has_finished(struct recorder *r)
{
	return !state_of(r)->left;
}

static bool has_all(struct recorder *r, struct cursor *c)
{
	return waymark_recorder_policy() == RECORDER_OVERWRITE ||
	       waymark_ctf_cursor_is_written(recorder_buffer(r), c);
}

static void pause_files(struct recorder *r)
{
	waymark_ctf_pause(&state_of(r)->files);
}

static void get_status(const struct recorder *r, struct consumer_status *status)
{
	const struct ctf_state *state = state_of(r);

	status->unwritten = __atomic_load_n(&state->unwritten, __ATOMIC_RELAXED);
	status->progress = __atomic_load_n(&state->files.progress, __ATOMIC_RELAXED);
	status->left = __atomic_load_n(&state->kept, __ATOMIC_RELAXED);
	status->error = __atomic_load_n(&r->stalled, __ATOMIC_RELAXED)
				? __atomic_load_n(&state->files.error, __ATOMIC_RELAXED)
				: 0;
}

const struct consumer waymark_consumer_ctf = {
	.state_bytes = sizeof(struct ctf_state),
	.begin = waymark_ctf_consumer_begin,
	.begun = waymark_ctf_consumer_begun,
	.abandon = waymark_ctf_consumer_abandon,
	.pass = pass,
	.settle = settle,
	.has_all = has_all,
	.has_finished = has_finished,
	.is_done = waymark_ctf_cursor_is_done,
	.evict = waymark_ctf_evict,
	.pause = pause_files,
	.get_name = get_name,
	.get_status = get_status,
};
