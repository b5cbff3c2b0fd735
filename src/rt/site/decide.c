/* SPDX-License-Identifier: MIT */
/*
 * Decides whether a call of an event with a condition is recorded, before anything is. The thread
 * marks its slot meanwhile, see record/cursor.h. Conditions that only compare integers are decided
 * without a call, which saves the registers' way to the stack.
 */
#include <errno.h>

#include "base/compiler.h"
#include "expr/program.h"
#include "rt/event/decision.h"
#include "rt/event/state.h"
#include "rt/record/cursor.h"
#include "rt/record/recorder.h"

static inline unsigned int taken(const struct waymark_event *event, unsigned int on, bool passes)
{
	return passes ? state_of_mask(event, on) : on & ~WAYMARK_CONDITIONAL;
}

/* Decides any condition; `s`: the thread's slot. */
static NOINLINE unsigned int decide_in(
	struct slot *s, const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	struct field_call call = { event, words };
	uint32_t turn = slot_enter(s);
	const struct decision *d = decision_of(event);
	bool passes = d && expr_run(d->program, words, waymark_field_get, &call);

	slot_exit(s, turn);
	return taken(event, on, passes);
}

/* For a thread without a slot. */
static NOINLINE unsigned int decide_first(
	const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	int saved = errno;
	struct slot *s = waymark_recorder_slot();

	errno = saved;
	return s ? decide_in(s, event, on, words)
		 : taken(event, on, false); /* nor is there to record it */
}

unsigned int waymark_decide(
	const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	struct slot *s = waymark_slot_current();

	if (UNLIKELY(!s)) {
		return decide_first(event, on, words);
	}
	uint32_t turn = slot_enter(s);
	const struct decision *d = decision_of(event);
	uint16_t next = LIKELY(d) ? expr_run_integers(d->program, words) : TEST_FALSE;

	slot_exit(s, turn);
	if (UNLIKELY(next < TEST_FALSE)) {
		return decide_in(s, event, on, words);
	}
	return taken(event, on, next == TEST_TRUE);
}
