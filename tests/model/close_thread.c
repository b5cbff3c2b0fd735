/* SPDX-License-Identifier: MIT */
/* The model's producer, and the next thread that continues with its cursor. See close.h. */
#include <string.h>

#include "close.h"

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

void drain_one(struct explorer *e, struct state *s)
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

	if (!setup.buffering) {
		reach_memory(e, s, w);
		return;
	}
	if (s->buffered == BUFFERED) {
		drain_one(e, s);
	}
	s->buffer[s->buffered++] = w;
}

/* Returns the value that the thread loads: its own last store, or else memory. */
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
	drain_all(e, s); /* like an atomic addition */
	uint8_t was = s->memory[CLAIM];

	s->at = P_REOPEN;
	if (was & 1) {
		s->subbuf = 0;
		put(e, s, CLAIM, setup.without == NO_CLAIM ? 0 : (was & ~1u) + 2);
	} else if (setup.without != NO_CLAIM) {
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

/* Gives the packet its number. */
static void number(struct explorer *e, struct state *s)
{
	drain_all(e, s);
	s->number[s->fresh] = ++s->numbers;
}

/* Ends the thread; the next owner sees all of its stores. */
static void leave(struct explorer *e, struct state *s)
{
	drain_all(e, s);
	s->pos = setup.without == CONTINUED ? 0 : s->pos; /* but not its position */
	s->at = P_BUSY;
}

static void reopen(struct explorer *e, struct state *s)
{
	s->at = P_TAKE;
	if (s->subbuf && s->pos < ROOM && !get(s, CLOSE)) {
		put(e, s, LIMIT, 1);
		s->at = P_CLOCK;
	}
}

static void show(struct explorer *e, struct state *s)
{
	put(e, s, s->subbuf ? NEXT + s->subbuf : FIRST, s->fresh);
	s->subbuf = s->fresh;
	s->fresh = s->pos = 0;
}

static void lose(struct explorer *e, struct state *s)
{
	put(e, s, LIMIT, 0);
	s->lost |= 1u << s->event;
	s->at = P_IDLE;
}

static void end_event(struct explorer *e, struct state *s)
{
	put(e, s, BUSY, 0);
	s->at = P_BUSY;
	s->event++;
	if (s->event == setup.leaves) {
		s->at = P_LEAVE_CLOSE;
	} else if (s->event == setup.events) {
		s->at = P_END;
	}
}

/* Stores a value and advances to the next step. */
static void store(struct explorer *e, struct state *s, uint8_t at)
{
	const struct store stores[P_END] = {
		[P_BUSY] = { BUSY, 1 },
		[P_SIZE_0] = { (uint8_t)(SIZE + s->fresh), 0 },
		[P_NEXT_0] = { (uint8_t)(NEXT + s->fresh), 0 },
		[P_CLOSE_0] = { CLOSE, 0 },
		[P_LIMIT] = { LIMIT, 1 },
		[P_DATA] = { (uint8_t)(DATA + s->subbuf * ROOM + s->pos), s->event + 1 },
		[P_COMMIT] = { (uint8_t)(SIZE + s->subbuf), s->pos + 1 },
		[P_LEAVE_CLOSE] = { CLOSE, setup.without != CONTINUED },
		[P_LEAVE_LIMIT] = { LIMIT, 0 },
	};

	s->pos += at == P_COMMIT;
	put(e, s, stores[at].where, stores[at].value);
}

void produce(struct explorer *e, struct state *s)
{
	static void (*const steps[P_END])(struct explorer * e, struct state * s) = {
		[P_CLAIM] = claim,
		[P_REOPEN] = reopen,
		[P_TAKE] = take,
		[P_NUMBER] = number,
		[P_SHOW] = show,
		[P_LOSE] = lose,
		[P_IDLE] = end_event,
		[P_LEAVE] = leave,
	};
	uint8_t at = s->at++;

	if (at == P_LOOK) {
		s->at = get(s, LIMIT) && s->pos < ROOM ? P_CLOCK : P_CLAIM;
	} else if (at == P_CLOCK) {
		s->late |= s->timed && s->subbuf == s->head;
	} else if (steps[at]) {
		steps[at](e, s);
	} else {
		store(e, s, at);
	}
}
