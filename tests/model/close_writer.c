/* SPDX-License-Identifier: MIT */
/*
 * The model's writer: one step of a pass, as the recorder's writer thread takes it. Called by the
 * explorer for each possible order of steps; checks that packets are written once and in order.
 */
#include "close.h"

/* Packets are written in the order of their numbers, and none is missing. */
static void write_number(struct explorer *e, struct state *s, uint8_t number)
{
	if (number != s->last + 1) {
		explore_fail(e, "a packet is out of sequence");
	}
	s->last = number;
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
	write_number(e, s, s->number[s->head]);
	s->number[s->head] = 0;
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

	s->writer = setup.without == EARLY_END ? C_SWAP : C_TIME;
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

/* The writer's own packet, which tells losses: its number must not be another packet's. */
static void tell(struct explorer *e, struct state *s)
{
	s->writer = C_HEAD;
	if (setup.without == NO_LOOK || s->numbers == s->before_tell) {
		write_number(e, s, ++s->numbers);
		s->tells++;
	}
	s->before_tell = 0;
}

/* The writer has no packet to write. */
static void be_idle(struct explorer *e, struct state *s)
{
	struct state other = *s;

	s->head = s->memory[FIRST];
	s->writer = s->head ? C_CLEAR_FIRST : C_HEAD;
	if (other.tells < TELLS_MAX) {
		other.before_tell = other.numbers;
		other.writer = setup.without == NO_LOOK ? C_TELL : C_TELL_BUSY;
		explore_offer(e, &other);
	}
}

void consume(struct explorer *e, struct state *s)
{
	switch (s->writer) {
	case C_HEAD:
		be_idle(e, s);
		break;
	case C_TELL_BUSY:
	case C_TELL_HEAD:
		s->writer++;
		if (s->memory[s->writer == C_TELL_HEAD ? BUSY : FIRST]) {
			s->writer = C_HEAD;
			s->before_tell = 0;
		}
		break;
	case C_TELL:
		tell(e, s);
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
		s->writer = setup.without == EARLY_END ? C_TIME : C_SETTLE;
		break;
	case C_SETTLE:
		if (!s->unsettled || setup.without == NO_SETTLE) {
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
		s->writer = setup.without == EARLY_END ? C_SETTLE : C_SWAP;
		break;
	default:
		swap(e, s);
	}
}
