/* SPDX-License-Identifier: MIT */
/*
 * The consumer of the sink `simple`: takes the events that cursors have published, from closed and
 * from open packets, merges them by time and encodes them in runs from one cursor.
 *
 * A pass takes events that are older than its beginning. So its output is in order, except for
 * events that were being recorded at that moment, and threads that record all the time cannot make
 * a pass endless. A thread that stops in the middle of an event delays only its own events, only if
 * its signal handlers recorded, and not longer than DRAIN_HOLD. The delay keeps each thread's
 * events in order.
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/record/drain.h"
#include "rt/simple/state.h"
#include "rt/simple/input.h"

#define DRAIN_HOLD 2 /* in moments of 100 ms */

/* How long encoded records wait for further ones: at first, and at most. */
#define DRAIN_WAIT_FIRST_NS UINT64_C(1000000)
#define DRAIN_WAIT_NS UINT64_C(100000000)

static struct simple_state *state_of(const struct buffer *b)
{
	return b->state;
}

/*
 * The heap of a pass: the cursor whose next record is the earliest comes first. Moves the last of
 * `i + 1` entries to its place.
 */
static void sift_up(struct source *heap, uint32_t i)
{
	struct source s = heap[i];

	for (; i > 0 && s.ticks < heap[(i - 1) / 2].ticks; i = (i - 1) / 2) {
		heap[i] = heap[(i - 1) / 2];
	}
	heap[i] = s;
}

/* Moves the first entry to its place. */
static void sift_down(struct source *heap, uint32_t count)
{
	struct source s = heap[0];
	uint32_t i = 0;

	for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
		if (child + 1 < count && heap[child + 1].ticks < heap[child].ticks) {
			child++;
		}
		if (s.ticks <= heap[child].ticks) {
			break;
		}
		heap[i] = heap[child];
	}
	heap[i] = s;
}

/* The time of the second earliest source. */
static uint64_t second_ticks(const struct source *heap, uint32_t count)
{
	uint64_t left = count > 1 ? heap[1].ticks : UINT64_MAX;
	uint64_t right = count > 2 ? heap[2].ticks : UINT64_MAX;

	return left < right ? left : right;
}

/* Writes everything in the heap that is within its horizon, in the order of time. */
static uint64_t merge(struct recorder *owner, struct simple_state *d)
{
	uint64_t events = 0;

	while (d->count > 0) {
		struct source *s = &d->heap[0];
		uint64_t second = second_ticks(d->heap, d->count);
		struct simple_input *in = simple_input(s->cursor);

		events +=
			waymark_simple_run(&d->out, in, second < s->horizon ? second : s->horizon);
		if (waymark_simple_find(owner, s->cursor) && simple_ticks(in) <= s->horizon) {
			s->ticks = simple_ticks(in);
		} else {
			*s = d->heap[--d->count];
		}
		sift_down(d->heap, d->count);
	}
	return events;
}

static uint64_t add_source(struct recorder *owner, struct simple_state *d, struct source s)
{
	uint64_t events = 0;

	if (!waymark_simple_find(owner, s.cursor)) {
		return 0;
	}
	s.ticks = simple_ticks(simple_input(s.cursor));
	if (s.ticks > s.horizon) {
		return 0;
	}
	if (d->count == DRAIN_SOURCES) {
		events = merge(owner, d); /* more sources than that: only each group is in order */
	}
	d->heap[d->count] = s;
	sift_up(d->heap, d->count++);
	return events;
}

/*
 * Returns up to which time a thread's events can be taken. While an outer event is being recorded,
 * the events of its signal handlers may be later than it, and so may be the thread's events after
 * those. They all wait for the outer event, unless that takes longer than `hold`.
 */
static uint64_t slot_horizon(
	struct recorder *owner, struct cursor *cursors, uint64_t now, uint64_t hold)
{
	uint64_t horizon = now;
	bool outer_busy = false;

	for (int i = 0; i < CURSOR_DEPTHS; i++) {
		struct cursor *c = &cursors[i];

		if (outer_busy && waymark_simple_find(owner, c)) {
			uint64_t first = simple_ticks(simple_input(c));

			if (first > now - hold && first <= horizon) {
				horizon = first - 1;
			}
		}
		outer_busy |= __atomic_load_n(&c->hot.busy, __ATOMIC_ACQUIRE);
	}
	return horizon;
}

static uint64_t add_slot(
	struct recorder *owner, struct simple_state *d, struct slot *s, uint64_t horizon)
{
	struct cursor *cursors = s->cursors[WAYMARK_RECORDER_SIMPLE];
	uint64_t events = 0;

	for (int i = 0; i < CURSOR_DEPTHS; i++) {
		struct source source = { .horizon = horizon, .cursor = &cursors[i] };

		simple_input(&cursors[i])->thread_ns = &simple_input(&cursors[0])->last_ns;
		events += add_source(owner, d, source);
	}
	return events;
}

/* Ends the clock's segment at the present moment, which it returns. */
static struct clock_pair advance_clock(struct process *p, struct buffer *b)
{
	struct simple_state *d = state_of(b);
	struct clock_pair begin = { b->file.begin.ticks, b->file.begin.monotonic_ns };
	struct clock_pair now = waymark_clock_pair();
	struct clock_pair from = d->last.ticks ? d->last : begin;

	d->out.clock = waymark_clock_segment(from, now);
	waymark_drain_measure(p, from, now);
	d->last = now;
	return now;
}

/*
 * Reports what a cursor lost after its last record, or a damaged packet had there. `since` was read
 * before the loss was.
 */
static void report_trailing(
	struct recorder *owner, struct simple_state *d, struct cursor *c, uint64_t since)
{
	struct simple_input *in = simple_input(c);
	uint64_t lost = __atomic_load_n(&c->lost, __ATOMIC_ACQUIRE);

	if ((lost == c->draining.discarded && !in->gap) || waymark_simple_find(owner, c)) {
		return; /* there is a record: the loss is reported before or after it */
	}
	if (lost > c->draining.discarded) {
		in->gap += lost - c->draining.discarded;
		c->draining.discarded = lost;
	}
	if (in->gap) {
		waymark_simple_gap(&d->out, in->gap, since);
		in->gap = 0;
	}
}

static void report_losses(struct recorder *owner, struct simple_state *d, uint64_t since)
{
	uint64_t unplaced = __atomic_load_n(&owner->lost_unplaced, __ATOMIC_RELAXED);
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		for (int i = 0; i < CURSOR_DEPTHS; i++) {
			report_trailing(owner, d, &s->cursors[WAYMARK_RECORDER_SIMPLE][i], since);
		}
	}
	if (unplaced > d->told_unplaced) {
		waymark_simple_gap(&d->out, unplaced - d->told_unplaced, since);
		d->told_unplaced = unplaced;
	}
}

/*
 * Frees the packet that an ended thread has left, once it is read; if memory is short, also the
 * packet of a thread that records nothing.
 */
static void release(struct recorder *owner, struct slot *s, bool is_short, uint64_t now_ns)
{
	struct cursor *cursors = s->cursors[WAYMARK_RECORDER_SIMPLE];

	for (int i = 0; i < CURSOR_DEPTHS; i++) {
		struct cursor *c = &cursors[i];

		if (waymark_simple_find(owner, c) || !c->draining.subbuf || c->draining.taken) {
			continue;
		}
		if (slot_is_left(s)) {
			c->draining.taken = true;
		} else if (is_short || !waymark_slot_is_owned(s)) {
			waymark_simple_close(c, now_ns);
		}
	}
}

static void release_all(struct recorder *owner, uint64_t now_ns)
{
	const struct buffer *b = recorder_buffer(owner);
	uint32_t most = (b->units - b->file.first_unit) / 4 * 3;
	bool is_short = __atomic_load_n(&owner->waiting, __ATOMIC_RELAXED) ||
			__atomic_load_n(&b->used, __ATOMIC_RELAXED) > most;
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		release(owner, s, is_short, now_ns);
	}
}

/*
 * Writes the batch if it has waited long enough; sets the time by which a new one must be written.
 */
static void write_batch(struct simple_state *d, uint64_t now, bool all)
{
	if (all || (d->write_due && now >= d->write_due)) {
		waymark_simple_write(&d->out);
		d->write_due = 0;
	}
	if (!d->write_due && simple_has_batch(&d->out)) {
		d->wait_ns = d->wait_ns ? d->wait_ns * 2 : DRAIN_WAIT_FIRST_NS;
		d->wait_ns = d->wait_ns < DRAIN_WAIT_NS ? d->wait_ns : DRAIN_WAIT_NS;
		d->write_due = now + d->wait_ns;
	}
}

static uint64_t pass(struct process *p, struct recorder *owner, enum drain_mode mode)
{
	struct buffer *b = recorder_buffer(owner);
	struct simple_state *d = state_of(b);
	struct clock_pair now = advance_clock(p, b);
	uint64_t hold = mode == DRAIN_USUAL ? DRAIN_HOLD * process_moment(p) : 0;
	uint64_t events = 0;
	uint32_t index = 0;

	waymark_simple_sync(&d->out);
	for (struct slot *s; (s = waymark_slot_next(&index));) {
		uint64_t horizon =
			slot_horizon(owner, s->cursors[WAYMARK_RECORDER_SIMPLE], now.ticks, hold);

		events += add_slot(owner, d, s, horizon);
	}
	events += merge(owner, d);
	release_all(owner, now.ns);
	if (mode != DRAIN_USUAL) {
		report_losses(owner, d, now.ns);
	}
	write_batch(d, waymark_clock_ns(), mode != DRAIN_USUAL);
	return events;
}

static bool has_finished(struct recorder *owner)
{
	return !simple_has_batch(&state_of(recorder_buffer(owner))->out);
}

static void settle(struct recorder *owner)
{
	report_losses(owner, state_of(recorder_buffer(owner)), waymark_clock_ns());
}

static bool has_all(struct recorder *owner, struct cursor *c)
{
	return !waymark_simple_find(owner, c);
}

static void pause_file(struct recorder *owner)
{
	waymark_simple_pause(&state_of(recorder_buffer(owner))->out);
}

static void get_name(const struct recorder *owner, char *name, size_t size)
{
	const struct buffer *b = recorder_buffer(owner);

	waymark_simple_name(waymark_simple_config(), (uint32_t)getpid(),
		b ? __atomic_load_n(&state_of(b)->out.file.number, __ATOMIC_RELAXED) : 0, name,
		size);
}

static void get_status(const struct recorder *owner, struct consumer_status *status)
{
	const struct simple_out *out = &state_of(recorder_buffer(owner))->out;

	status->unwritten = __atomic_load_n(&out->unwritten, __ATOMIC_RELAXED);
	status->progress = __atomic_load_n(&out->progress, __ATOMIC_RELAXED);
	status->error = __atomic_load_n(&out->error, __ATOMIC_RELAXED);
}

/*
 * The buffer has no file, so `place` stays empty. Notes the current directory for the default file,
 * because the program may have changed it when the writer creates the file.
 */
static void begin(void *state, struct buffer_place *place)
{
	struct simple_state *d = state;

	(void)place;
	if (syscall(SYS_getcwd, d->directory, sizeof(d->directory)) < 0) {
		d->directory[0] = '\0';
	}
}

static void begun(struct buffer *b)
{
	(void)b;
}

static void abandon(void *state)
{
	(void)state;
}

const struct consumer waymark_consumer_simple = {
	.state_bytes = sizeof(struct simple_state),
	.begin = begin,
	.begun = begun,
	.abandon = abandon,
	.pass = pass,
	.settle = settle,
	.has_all = has_all,
	.has_finished = has_finished,
	.pause = pause_file,
	.get_name = get_name,
	.get_status = get_status,
};

/* Records nothing: simpletrace files cannot be drained by another process. */
const struct consumer waymark_consumer_simple_jail = {
	.get_name = get_name,
	.get_status = get_status,
};
