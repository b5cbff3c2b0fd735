/* SPDX-License-Identifier: MIT */
/*
 * Decides whether a call of an event with a condition or limits is recorded, before anything is.
 * The thread marks its slot meanwhile, see record/cursor.h; not if the first comparison decides.
 * The quick ways make no calls, which saves the registers' way to the stack.
 */
#include <errno.h>

#include "base/compiler.h"
#include "expr/program.h"
#include "rt/event/decision.h"
#include "rt/record/cursor.h"
#include "rt/record/recorder.h"
#include "rt/site/aggregate_map.h"
#include "rt/site/limit.h"
#include "rt/site/watch.h"

/*
 * Returns true if the backends that are `open` take the call. In a signal handler that interrupted
 * a decision of its thread, at `turn`, limits let every call pass, because their state may be half
 * changed.
 */
static inline bool passes(struct slot *s, struct decision *d, struct field_call *call,
	unsigned int open, uint32_t turn)
{
	if (d->pairing) {
		waymark_pair(s, call, d->pairing, &d->paired);
	}
	return expr_run(d->program, call->words, field_own(call), waymark_field_get, call) &&
	       (!d->limits || turn & 1 || waymark_limit_pass(s, d, call, open));
}

/*
 * Decides anything; `s`: the thread's slot. Watches come last, so that a call which ends a pair and
 * begins the next one does so in this order.
 */
static NOINLINE unsigned int decide_in(
	struct slot *s, const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	const struct decided *decided = decided_of(event);
	struct field_call call = { .event = event, .words = words };
	unsigned int open = decided_open(event, on);
	uint32_t turn = slot_enter(s);
	struct decision *d = open ? decided_decision(decided) : NULL;
	bool yes = d && passes(s, d, &call, open, turn);
	const struct watches *watches = decided_watches(decided);

	if (watches) {
		waymark_watch_all(s, watches, &call, turn);
	}
	slot_exit(s, turn);
	return decided_taken(event, on, open, yes);
}

/* Does what the only watch of the event does; `s`: the thread's slot. */
static NOINLINE unsigned int decide_watch(
	struct slot *s, const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	struct field_call call = { .event = event, .words = words };
	uint32_t turn = slot_enter(s);
	const struct watch *w = decided_open(event, on) ? NULL : decided_alone(decided_of(event));

	if (w) {
		waymark_watch(s, w, &call, turn);
	}
	slot_exit(s, turn);
	return w ? decided_taken(event, on, 0, false) : decide_in(s, event, on, words);
}

/* Adds the call up by `add`, which returns false, and has done nothing, if something must be made.
 */
static inline unsigned int decide_known(struct slot *s, const struct waymark_event *event,
	unsigned int on, const uint64_t *words,
	bool (*add)(const struct slot *, const struct aggregate_binding *, const uint64_t *))
{
	uint32_t turn = slot_enter(s);
	const struct watch *w = decided_alone(decided_of(event));
	bool is_done = LIKELY(w) && LIKELY(!(turn & 1)) && LIKELY(!decided_open(event, on)) &&
		       add(s, &w->aggregate, words);

	slot_exit(s, turn);
	return LIKELY(is_done) ? decided_taken(event, on, 0, false)
			       : decide_watch(s, event, on, words);
}

static NOINLINE unsigned int decide_count(
	struct slot *s, const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	return decide_known(s, event, on, words, aggregate_count);
}

static NOINLINE unsigned int decide_value(
	struct slot *s, const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	return decide_known(s, event, on, words, aggregate_value);
}

/* For a thread without a slot. */
static NOINLINE unsigned int decide_first(
	const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	int saved = errno;
	struct slot *s = waymark_recorder_slot();

	errno = saved;
	return s ? decide_in(s, event, on, words)
		 : on & ~WAYMARK_CONDITIONAL; /* nor is there memory to record it */
}

/* Decides a call by integers, if that is all. */
static NOINLINE unsigned int decide_integers(
	struct slot *s, const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	uint32_t turn = slot_enter(s);
	const struct decision *d = decided_decision(decided_of(event));
	uint16_t next = LIKELY(d) ? expr_run_integers(d->program, words) : TEST_FALSE;
	bool is_decided =
		LIKELY(!d) ||
		(LIKELY(!d->pairing) && (next == TEST_FALSE || (next == TEST_TRUE && !d->limits)));

	slot_exit(s, turn);
	if (UNLIKELY(!is_decided)) {
		return decide_in(s, event, on, words);
	}
	return next == TEST_TRUE ? decided_taken(event, on, decided_open(event, on), true)
				 : on & ~WAYMARK_CONDITIONAL;
}

/* Decides a call that the copied test does not. */
static NOINLINE unsigned int decide_rest(
	const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	struct slot *s = waymark_slot_current();

	if (UNLIKELY(!s)) {
		return decide_first(event, on, words);
	}
	switch (__atomic_load_n(&decided_of(event)->way, __ATOMIC_RELAXED)) {
	case DECIDE_FIRST:
	case DECIDE_INTEGERS:
		return decide_integers(s, event, on, words);
	case DECIDE_COUNT:
		return decide_count(s, event, on, words);
	case DECIDE_VALUE:
		return decide_value(s, event, on, words);
	case DECIDE_WATCH:
		return decide_watch(s, event, on, words);
	default:
		return decide_in(s, event, on, words);
	}
}

unsigned int waymark_decide(
	const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	switch (decided_first(decided_of(event), words)) {
	case FIRST_REFUSES:
		return on & ~WAYMARK_CONDITIONAL;
	case FIRST_PASSES:
		return decided_taken(event, on, decided_open(event, on), true);
	case FIRST_UNDECIDED:
		break;
	}
	return decide_rest(event, on, words);
}
