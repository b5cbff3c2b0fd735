/* SPDX-License-Identifier: MIT */
/*
 * Decisions of events that control replaces while a thread evaluates them (slot_enter() in
 * src/rt/record/cursor.h, src/rt/event/decision.h): every interleaving of a thread, of a signal
 * handler that interrupts it anywhere, and of control, with the thread's stores visible late, as on
 * x86. No decision is used after it was freed. Without the time of grace, or if a handler removed
 * the mark of the call that it interrupted, the model finds a fault.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "explore.h"

#define CALLS 3 /* of the thread, and of its handlers */
#define CHANGES 2 /* by control */
#define BUFFERED 6 /* stores in the store buffer */

/* The next step of a call. */
enum { ENTER, MARK, LOAD, USE, EXIT };

struct call {
	uint8_t at;
	uint8_t turn; /* of the slot when it entered */
	uint8_t decision;
};

/* Control's next step. */
enum { REPLACE, SETTLE, LOOK, WAIT, FREE };

struct state {
	uint8_t decision; /* the number of the present one */
	uint8_t freed; /* bit by number */
	uint8_t turn; /* as other processors see it */
	uint8_t own_turn; /* as its thread sees it */
	uint8_t buffer[BUFFERED]; /* stores to `turn` that are not visible yet */
	uint8_t buffered;
	uint8_t calls, handlers; /* made so far */
	bool in_call, in_handler;
	struct call call, handler;
	/* of control */
	uint8_t step;
	uint8_t unsettled; /* stores that were in the buffer when control replaced the decision */
	uint8_t seen; /* the odd turn that it waits for */
};

enum without { WHOLE, NO_GRACE, NO_NESTING };

static enum without without;
static bool has_handlers;

static void store_turn(struct state *s, uint8_t turn)
{
	s->own_turn = turn;
	s->buffer[s->buffered++] = turn;
}

/* Returns the turn after a call: a call inside of another one restores its mark, which is odd. */
static uint8_t turn_after(const struct call *c)
{
	if (without == NO_NESTING) {
		return (uint8_t)(c->turn + 2) & ~1u;
	}
	return c->turn & 1 ? c->turn : (uint8_t)(c->turn + 2);
}

/* Does a call's next step; returns true when it has returned. */
static bool step_call(struct explorer *e, struct state *s, struct call *c)
{
	switch (c->at++) {
	case ENTER:
		c->turn = s->own_turn;
		return false;
	case MARK:
		store_turn(s, c->turn | 1);
		return false;
	case LOAD:
		c->decision = s->decision;
		return false;
	case USE:
		if (s->freed >> c->decision & 1) {
			explore_fail(e, "a call uses a decision that was freed");
		}
		return false;
	default:
		store_turn(s, turn_after(c));
		memset(c, 0, sizeof(*c));
		return true;
	}
}

static void step_thread(struct explorer *e, const struct state *now)
{
	struct state s = *now;

	if (s.buffered == BUFFERED || (!s.in_call && s.calls == CALLS)) {
		return;
	}
	s.in_call = !step_call(e, &s, &s.call);
	s.calls += !s.in_call;
	explore_offer(e, &s);
}

static void step_handler(struct explorer *e, const struct state *now)
{
	struct state s = *now;

	if (s.buffered == BUFFERED || (!s.in_handler && (!has_handlers || s.handlers == CALLS))) {
		return;
	}
	s.in_handler = !step_call(e, &s, &s.handler);
	s.handlers += !s.in_handler;
	explore_offer(e, &s);
}

static void step_buffer(struct explorer *e, const struct state *now)
{
	struct state s = *now;

	if (s.buffered == 0) {
		return;
	}
	s.turn = s.buffer[0];
	memmove(s.buffer, s.buffer + 1, BUFFERED - 1);
	s.buffer[--s.buffered] = 0;
	s.unsettled -= s.unsettled > 0;
	explore_offer(e, &s);
}

static void step_control(struct explorer *e, const struct state *now)
{
	struct state s = *now;

	switch (s.step) {
	case REPLACE:
		if (s.decision == CHANGES) {
			return;
		}
		s.decision++;
		s.unsettled = without == NO_GRACE ? 0 : s.buffered;
		s.step = SETTLE;
		break;
	case SETTLE:
		if (s.unsettled) {
			return;
		}
		s.step = LOOK;
		break;
	case LOOK:
		s.seen = s.turn;
		s.step = s.turn & 1 ? WAIT : FREE;
		break;
	case WAIT:
		if (s.turn == s.seen) {
			return;
		}
		s.step = FREE;
		break;
	default:
		s.freed |= (uint8_t)(1u << (s.decision - 1));
		s.seen = 0;
		s.step = REPLACE;
		break;
	}
	explore_offer(e, &s);
}

/* A handler runs to its end before its thread goes on. */
static void step(struct explorer *e, const void *state)
{
	const struct state *now = state;

	if (!now->in_handler) {
		step_thread(e, now);
	}
	step_handler(e, now);
	step_buffer(e, now);
	step_control(e, now);
}

static const char *run_model(void)
{
	static const char *const names[] = { "whole", "no grace", "no nesting" };
	struct state first;
	size_t states;

	memset(&first, 0, sizeof(first));
	const char *failure = explore(&first, sizeof(first), step, &states);

	printf("%s, %s: %zu states, %s\n", names[without],
		has_handlers ? "handlers" : "no handlers", states, failure ? failure : "no fault");
	return failure;
}

static void no_call_uses_what_was_freed(void **state)
{
	(void)state;
	without = WHOLE;
	has_handlers = false;
	assert_null(run_model());
	has_handlers = true;
	assert_null(run_model());
}

static void without_a_part_the_model_finds_the_fault(void **state)
{
	(void)state;
	has_handlers = true;
	without = NO_GRACE;
	assert_non_null(run_model());
	without = NO_NESTING;
	assert_non_null(run_model());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_call_uses_what_was_freed),
		cmocka_unit_test(without_a_part_the_model_finds_the_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
