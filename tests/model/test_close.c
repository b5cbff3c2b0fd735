/* SPDX-License-Identifier: MIT */
/*
 * A thread that records and the writer that takes its packets, or waits until
 * they are full (include/waymark/record.h, src/rt/record/recorder.c, close.h):
 * every interleaving of their loads and stores, with the thread's stores seen
 * at once, and with a store buffer as x86 has one, so that `busy` may be seen
 * late. Never is anything stored into a packet that is written or free, each
 * event is written once or counted as lost, and none is later than its packet's
 * end. Handlers have cursors of their own, so a second one of these is all they are.
 *
 * The model finds a fault once one of the protocol's parts is missing.
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

#define PACKETS 2 /* numbers from 1 */
#define ROOM 2 /* events that fit into one */
#define EVENTS_MAX 6 /* enough for each packet to be used again */
#define BUFFERED 4 /* stores that wait to be seen */

/* What is shared, and stored to by the thread. */
enum where {
	BUSY,
	LIMIT, /* 1: the open packet's end; 0: NULL */
	CLOSE,
	CLAIM,
	FIRST,
	SIZE, /* of packet 1, 2 ...: how many events are published */
	NEXT = SIZE + PACKETS + 1,
	DATA = NEXT + PACKETS + 1, /* ROOM each */
	PLACES = DATA + (PACKETS + 1) * ROOM,
};

struct store {
	uint8_t where, value;
};

/* Where the thread is, named after what comes next. */
/* clang-format off */
enum {
	P_BUSY, P_LOOK, P_CLAIM, P_REOPEN, P_TAKE, P_SIZE_0, P_NEXT_0, P_CLOSE_0, P_LIMIT, P_SHOW,
	P_CLOCK, P_DATA, P_COMMIT, P_IDLE, P_LOSE, P_END
};
/* clang-format on */

/* And the writer. */
enum { C_HEAD, C_CLEAR_FIRST, C_LOOK, C_CLOSE, C_LIMIT, C_SETTLE, C_CHECK, C_TIME, C_SWAP };

struct state {
	uint8_t memory[PLACES];
	struct store buffer[BUFFERED];
	uint8_t buffered;
	uint8_t owned[PACKETS + 1]; /* by the thread, or full and not written yet */
	/* the thread's own */
	uint8_t at, chunk, before, fresh, pos, event;
	/* the writer's own */
	uint8_t writer, head, claim, unsettled, checked;
	uint8_t timed, late; /* the packet's end is read; an event's time was read behind it */
	uint8_t written; /* bit by event */
	uint8_t lost;
};

/* What the protocol is without. */
enum without { WHOLE, NO_CLAIM, NO_SETTLE, EARLY_END };

static enum without without;
static bool buffering;
static uint8_t events;

static void reach_memory(struct explorer *e, struct state *s, struct store w)
{
	uint8_t packet = w.where >= DATA   ? (w.where - DATA) / ROOM
			 : w.where >= NEXT ? w.where - NEXT
			 : w.where >= SIZE ? w.where - SIZE
					   : 0;

	if (packet && !s->owned[packet]) {
		explore_fail(e, "a store into a packet that is written");
	}
	s->memory[w.where] = w.value;
}

static void drain_one(struct explorer *e, struct state *s)
{
	reach_memory(e, s, s->buffer[0]);
	memmove(s->buffer, s->buffer + 1, sizeof(s->buffer) - sizeof(s->buffer[0]));
	s->buffer[--s->buffered] = (struct store){ 0, 0 };
	s->unsettled -= s->unsettled > 0;
}

static void drain_all(struct explorer *e, struct state *s)
{
	while (s->buffered) {
		drain_one(e, s);
	}
}

static void put(struct explorer *e, struct state *s, unsigned int where, uint8_t value)
{
	struct store w = { (uint8_t)where, value };

	if (!buffering) {
		reach_memory(e, s, w);
		return;
	}
	if (s->buffered == BUFFERED) {
		drain_one(e, s);
	}
	s->buffer[s->buffered++] = w;
}

/* What the thread sees: its own last store, else memory. */
static uint8_t get(const struct state *s, unsigned int where)
{
	for (unsigned int i = s->buffered; i-- > 0;) {
		if (s->buffer[i].where == where) {
			return s->buffer[i].value;
		}
	}
	return s->memory[where];
}

static void claim(struct explorer *e, struct state *s)
{
	drain_all(e, s); /* as an atomic addition does */
	uint8_t was = s->memory[CLAIM];

	s->at = P_REOPEN;
	if (was & 1) {
		s->chunk = 0;
		put(e, s, CLAIM, without == NO_CLAIM ? 0 : (was & ~1u) + 2);
	} else if (without != NO_CLAIM) {
		s->memory[CLAIM] = was + 2;
	}
}

static void take(struct explorer *e, struct state *s)
{
	drain_all(e, s);
	s->fresh = 0;
	for (uint8_t c = 1; c <= PACKETS && !s->fresh; c++) {
		s->fresh = s->owned[c] ? 0 : c;
	}
	s->at = s->fresh ? P_SIZE_0 : P_LOSE;
	if (s->fresh) {
		s->owned[s->fresh] = 1;
	}
}

/* What the thread does next; stores in the order of the program. */
static void produce(struct explorer *e, struct state *s)
{
	uint8_t at = s->at++;

	switch (at) {
	case P_BUSY:
		put(e, s, BUSY, 1);
		break;
	case P_LOOK:
		s->at = get(s, LIMIT) && s->pos < ROOM ? P_CLOCK : P_CLAIM;
		break;
	case P_CLAIM:
		claim(e, s);
		break;
	case P_REOPEN:
		s->at = P_TAKE;
		if (s->chunk && s->pos < ROOM && !get(s, CLOSE)) {
			put(e, s, LIMIT, 1);
			s->at = P_CLOCK;
		}
		break;
	case P_TAKE:
		take(e, s);
		break;
	case P_SIZE_0:
	case P_NEXT_0:
		put(e, s, (at == P_SIZE_0 ? SIZE : NEXT) + s->fresh, 0);
		break;
	case P_CLOSE_0:
	case P_LIMIT:
		put(e, s, at == P_LIMIT ? LIMIT : CLOSE, at == P_LIMIT);
		break;
	case P_SHOW:
		put(e, s, s->chunk ? NEXT + s->chunk : FIRST, s->fresh);
		s->chunk = s->fresh;
		s->fresh = s->pos = 0;
		break;
	case P_CLOCK:
		s->late |= s->timed && s->chunk == s->head;
		break;
	case P_DATA:
		put(e, s, DATA + s->chunk * ROOM + s->pos, s->event + 1);
		break;
	case P_COMMIT:
		put(e, s, SIZE + s->chunk, ++s->pos);
		break;
	case P_LOSE:
		put(e, s, LIMIT, 0);
		s->lost |= 1u << s->event;
		s->at = P_IDLE;
		break;
	case P_IDLE:
		put(e, s, BUSY, 0);
		s->at = ++s->event < events ? P_BUSY : P_END;
		break;
	default:
		break;
	}
}

/* The head goes to its file, and is free. */
static void write_head(struct explorer *e, struct state *s, uint8_t next)
{
	for (uint8_t i = 0; i < s->memory[SIZE + s->head]; i++) {
		uint8_t event = s->memory[DATA + s->head * ROOM + i];
		uint8_t bit = event ? 1u << (event - 1) : 0;

		if (!bit || ((s->written | s->lost) & bit)) {
			explore_fail(e, "an event is torn, or written twice");
		}
		s->written |= bit;
	}
	for (uint8_t i = 0; i < ROOM; i++) {
		s->memory[DATA + s->head * ROOM + i] = 0;
	}
	s->owned[s->head] = 0;
	s->memory[SIZE + s->head] = s->memory[NEXT + s->head] = 0;
	s->head = next;
	s->timed = s->late = 0;
	s->writer = next ? C_LOOK : C_HEAD;
}

static void again(struct state *s)
{
	s->timed = s->late = 0;
	s->writer = C_LOOK;
}

static void look(struct explorer *e, struct state *s)
{
	uint8_t next = s->memory[NEXT + s->head];

	if (next) {
		write_head(e, s, next);
	} else if (s->memory[SIZE + s->head]) {
		s->claim = s->memory[CLAIM];
		s->writer = C_CLOSE;
	}
}

static void check(struct state *s)
{
	bool open = s->memory[BUSY] || s->memory[LIMIT] || (s->claim & 1);

	s->writer = without == EARLY_END ? C_SWAP : C_TIME;
	if (open) {
		again(s);
	}
}

static void swap(struct explorer *e, struct state *s)
{
	if (s->memory[CLAIM] != s->claim) {
		again(s);
		return;
	}
	s->memory[CLAIM] |= 1;
	if (s->late) {
		explore_fail(e, "an event is later than its packet's end");
	}
	write_head(e, s, 0);
}

static void consume(struct explorer *e, struct state *s)
{
	switch (s->writer) {
	case C_HEAD:
		s->head = s->memory[FIRST];
		s->writer = s->head ? C_CLEAR_FIRST : C_HEAD;
		break;
	case C_CLEAR_FIRST:
		s->memory[FIRST] = 0;
		s->writer = C_LOOK;
		break;
	case C_LOOK:
		look(e, s);
		break;
	case C_CLOSE:
		s->memory[CLOSE] = 1;
		s->writer = C_LIMIT;
		break;
	case C_LIMIT:
		s->memory[LIMIT] = 0;
		s->unsettled = s->buffered;
		s->writer = without == EARLY_END ? C_TIME : C_SETTLE;
		break;
	case C_SETTLE:
		if (!s->unsettled || without == NO_SETTLE) {
			s->unsettled = 0;
			s->writer = C_CHECK;
		}
		break;
	case C_CHECK: /* a packet that follows by now closes this one */
		if (s->memory[NEXT + s->head]) {
			again(s);
		} else {
			check(s);
		}
		break;
	case C_TIME:
		s->timed = 1;
		s->writer = without == EARLY_END ? C_SETTLE : C_SWAP;
		break;
	default:
		swap(e, s);
	}
}

/* Nothing can happen any more: all must be where it belongs. */
static void check_end(struct explorer *e, const struct state *s)
{
	if (s->at == P_END && !s->buffered && (s->written | s->lost) != (1u << events) - 1) {
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
	static const char *const names[] = { "whole", "no claim", "no settling", "early end" };
	struct state first = { .at = P_BUSY };
	size_t states;

	without = what;
	buffering = with_buffer;
	const char *failure = explore(&first, sizeof(first), step, &states);

	printf("%u events, %s, %s: %zu states, %s\n", events, names[what],
		with_buffer ? "stores seen late" : "stores seen at once", states,
		failure ? failure : "no fault");
	return failure;
}

static void each_event_is_written_once(void **state)
{
	(void)state;
	for (events = 1; events <= EVENTS_MAX; events++) {
		assert_null(run_model(WHOLE, false));
		assert_null(run_model(WHOLE, true));
	}
}

static void without_a_part_of_the_protocol_the_model_finds_a_fault(void **state)
{
	(void)state;
	events = 4;
	assert_non_null(run_model(NO_CLAIM, false));
	assert_non_null(run_model(NO_SETTLE, true));
	assert_non_null(run_model(EARLY_END, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_written_once),
		cmocka_unit_test(without_a_part_of_the_protocol_the_model_finds_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
