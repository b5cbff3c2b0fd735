/* SPDX-License-Identifier: MIT */
/*
 * The table of open pairs while it grows (src/rt/event/pair_table.c): every interleaving of a
 * thread that enters a call, of one that doubles the windows and moves the call, and of one that
 * ends the pair, after the first one has returned. The call is found. Without the second look at
 * `grown` of the thread that enters, or without further rounds of the one that ends, the model
 * finds a fault.
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

/* What a place holds. */
enum { FREE, KEY, BUSY };

/* The next steps. */
enum { ENTER, RESERVE, FILL, LOOK, LEAVE, ARRIVE, FILL_AGAIN, RELEASE, RETURNED };
enum { BEGIN, DOUBLE, SCAN, LOCK, FIND_ROOM, COPY, CLEAR, SETTLE, END, GROWN };
enum {
	TAKE,
	SEARCH,
	SEARCH_SECOND,
	GROWTH,
	MOVERS,
	BY_NUMBER,
	OTHERS,
	NEW,
	NEW_SECOND,
	DECIDE,
	FOUND
};

struct state {
	uint8_t grown; /* 1: calls are in their new window */
	uint8_t movers;
	uint8_t by_number;
	uint8_t old; /* a place of the window of the thread that enters */
	uint8_t new[2]; /* places of the window of the number */
	/* The thread that enters: */
	uint8_t enter;
	uint8_t enter_grown;
	uint8_t enter_place;
	/* The one that moves: */
	uint8_t move;
	uint8_t move_place;
	/* The one that ends the pair: */
	uint8_t take;
	uint8_t take_movers, take_grown, take_by_number;
};

enum without { WHOLE, NO_LOOK, NO_ROUNDS };

static enum without without;

/* Returns the first of the new places that holds that; 2: none does. */
static uint8_t find(const struct state *s, uint8_t what)
{
	return s->new[0] == what ? 0 : s->new[1] == what ? 1 : 2;
}

/* Reserves a free place of the new window, unless the key is there. Returns the place; 2: none. */
static uint8_t make_room(struct state *s)
{
	uint8_t place = find(s, KEY) < 2 ? 2 : find(s, FREE);

	if (place < 2) {
		s->new[place] = BUSY;
	}
	return place;
}

static void step_enter(struct explorer *e, const struct state *now)
{
	struct state s = *now;

	switch (s.enter) {
	case ENTER:
		s.enter_grown = s.grown;
		s.enter = RESERVE;
		break;
	case RESERVE:
		s.enter_place = s.enter_grown ? make_room(&s) : 2;
		s.old = s.enter_grown ? s.old : BUSY;
		s.enter = FILL;
		break;
	case FILL:
		*(s.enter_grown ? &s.new[s.enter_place] : &s.old) = KEY;
		s.enter = without == NO_LOOK ? RETURNED : LOOK;
		break;
	case LOOK:
		s.enter = s.grown == s.enter_grown ? RETURNED : LEAVE;
		break;
	case LEAVE:
		s.enter = s.old == KEY ? ARRIVE : RETURNED;
		s.old = s.old == KEY ? BUSY : s.old;
		break;
	case ARRIVE:
		s.enter_place = make_room(&s);
		s.enter = s.enter_place < 2 ? FILL_AGAIN : RELEASE;
		break;
	case FILL_AGAIN:
		s.new[s.enter_place] = KEY;
		s.enter = RELEASE;
		break;
	case RELEASE:
		s.old = FREE;
		s.enter = RETURNED;
		break;
	default:
		return;
	}
	explore_offer(e, &s);
}

static void step_move(struct explorer *e, const struct state *now)
{
	struct state s = *now;

	switch (s.move) {
	case BEGIN:
		s.movers = 1;
		break;
	case DOUBLE:
		s.grown = 1;
		break;
	case SCAN: /* it waits for a reserved place, but not for ever */
		s.move = s.old == KEY ? SCAN : SETTLE - 1;
		break;
	case LOCK:
		s.move = s.old == KEY ? LOCK : SETTLE - 1;
		s.old = s.old == KEY ? BUSY : s.old;
		break;
	case FIND_ROOM:
		s.move_place = make_room(&s);
		s.move = s.move_place < 2 ? FIND_ROOM : COPY;
		break;
	case COPY:
		s.new[s.move_place] = KEY;
		break;
	case CLEAR:
		s.old = FREE;
		break;
	case SETTLE:
		s.by_number = 1;
		break;
	case END:
		s.movers = 0;
		break;
	default:
		return;
	}
	s.move++;
	explore_offer(e, &s);
}

/* Takes the call if it is in the place; else goes on. */
static void look_in(struct state *s, uint8_t *place)
{
	if (*place == KEY) {
		*place = FREE;
		s->take = FOUND;
	} else {
		s->take++;
	}
}

static void step_take(struct explorer *e, const struct state *now)
{
	struct state s = *now;

	if (s.enter != RETURNED) {
		return;
	}
	switch (s.take) {
	case TAKE:
		s.take = s.grown ? SEARCH : GROWTH; /* its own window does not have the call */
		break;
	case SEARCH:
	case SEARCH_SECOND:
		look_in(&s, &s.new[s.take - SEARCH]);
		break;
	case MOVERS:
		s.take_movers = s.movers;
		s.take++;
		break;
	case GROWTH:
		s.take_grown = s.grown;
		s.take++;
		break;
	case BY_NUMBER:
		s.take_by_number = s.by_number;
		s.take = s.take_by_number ? NEW : OTHERS;
		break;
	case OTHERS:
		look_in(&s, &s.old);
		break;
	case NEW:
	case NEW_SECOND:
		if (s.take_grown) {
			look_in(&s, &s.new[s.take - NEW]);
		} else {
			s.take = DECIDE;
		}
		break;
	case DECIDE:
		if (without == NO_ROUNDS || (!s.take_movers && s.grown == s.take_grown)) {
			explore_fail(e, "an open call is not found");
			return;
		}
		s.take = GROWTH;
		break;
	default:
		return;
	}
	explore_offer(e, &s);
}

static void step(struct explorer *e, const void *state)
{
	step_enter(e, state);
	step_move(e, state);
	step_take(e, state);
}

static const char *run_model(void)
{
	static const char *const names[] = { "whole", "no second look", "no rounds" };
	struct state first;
	size_t states;

	memset(&first, 0, sizeof(first));
	const char *failure = explore(&first, sizeof(first), step, &states);

	printf("%s: %zu states, %s\n", names[without], states, failure ? failure : "no fault");
	return failure;
}

static void test_each_call_is_found(void **state)
{
	(void)state;
	without = WHOLE;
	assert_null(run_model());
}

static void test_the_model_finds_faults(void **state)
{
	(void)state;
	without = NO_LOOK;
	assert_non_null(run_model());
	without = NO_ROUNDS;
	assert_non_null(run_model());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_call_is_found),
		cmocka_unit_test(test_the_model_finds_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
