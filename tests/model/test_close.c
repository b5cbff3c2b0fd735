/* SPDX-License-Identifier: MIT */
/* Runs the complete model of close.h, and the model without each part of the protocol. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "close.h"

struct setup setup;

/* No step is left: every event must be written or counted. */
static void check_end(struct explorer *e, const struct state *s)
{
	if (s->at == P_END && !s->buffered && (s->written | s->lost) != (1u << setup.events) - 1) {
		explore_fail(e, "an event was never written");
	}
}

static void step(struct explorer *e, const void *now)
{
	const struct state *before = now;
	struct state s = *before;

	if (s.at != P_END) {
		produce(e, &s);
		explore_offer(e, &s);
	}
	s = *before;
	if (s.buffered) {
		drain_one(e, &s);
		explore_offer(e, &s);
	}
	s = *before;
	consume(e, &s);
	explore_offer(e, &s);
	if (memcmp(&s, before, sizeof(s)) == 0) {
		check_end(e, before);
	}
}

static const char *run_model(enum without what, bool with_buffer)
{
	static const char *const names[] = { "whole", "no claim", "no settling", "early end",
		"told without a look", "continued by another thread" };
	struct state first = { .at = P_BUSY };
	size_t states;

	setup.without = what;
	setup.buffering = with_buffer;
	const char *failure = explore(&first, sizeof(first), step, &states);

	printf("%u events, %s, %s: %zu states, %s\n", setup.events, names[what],
		with_buffer ? "stores seen late" : "stores seen at once", states,
		failure ? failure : "no fault");
	return failure;
}

static void each_event_is_written_once(void **state)
{
	(void)state;
	for (setup.events = 1; setup.events <= EVENTS_MAX; setup.events++) {
		for (setup.leaves = 0; setup.leaves < setup.events; setup.leaves++) {
			assert_null(run_model(WHOLE, false));
			assert_null(run_model(WHOLE, true));
		}
	}
	setup.leaves = 0;
}

static void without_a_part_of_the_protocol_the_model_finds_a_fault(void **state)
{
	(void)state;
	setup.events = 4;
	assert_non_null(run_model(NO_CLAIM, false));
	assert_non_null(run_model(NO_SETTLE, true));
	assert_non_null(run_model(EARLY_END, false));
	assert_non_null(run_model(NO_LOOK, false));
	setup.leaves = 1;
	assert_non_null(run_model(CONTINUED, false));
	setup.leaves = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_written_once),
		cmocka_unit_test(without_a_part_of_the_protocol_the_model_finds_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
