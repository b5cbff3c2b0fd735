/* SPDX-License-Identifier: MIT */
/*
 * A model of the producer and the consumer of a stream (include/waymark/record.h,
 * src/rt/record/recorder.c, close.h): a thread records, the writer closes and writes its
 * packets. It tries every interleaving of their loads and stores, with the thread's
 * stores visible at once, and with a store buffer like x86's, so that `busy` becomes
 * visible late. The thread may end in the middle, and another one continues with its
 * cursor; the writer may report losses in packets of its own. Signal handlers have their
 * own cursors: they are covered as further threads.
 *
 * Invariants: no store into a packet that is written or free; each event is written once
 * or counted as lost, and is not later than its packet's end; packets are written in the
 * order of their numbers without a gap. Without any one part of the protocol, the model
 * finds a fault.
 */
#ifndef TESTS_MODEL_CLOSE_H
#define TESTS_MODEL_CLOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "explore.h"

#define PACKETS 2 /* numbered from 1 */
#define ROOM 2 /* events that fit into a packet */
#define EVENTS_MAX 5 /* enough for each packet to be used again */
#define TELLS_MAX 2 /* packets in which the writer reports losses */
#define BUFFERED 4 /* stores in the store buffer */

/* Places in the shared memory that the thread stores into. */
enum where {
	BUSY,
	LIMIT, /* 1: the open packet's end; 0: NULL */
	CLOSE,
	CLAIM,
	FIRST,
	SIZE, /* of packet 1, 2, ...: number of published events */
	NEXT = SIZE + PACKETS + 1,
	DATA = NEXT + PACKETS + 1, /* ROOM per packet */
	PLACES = DATA + (PACKETS + 1) * ROOM,
};

struct store {
	uint8_t where, value;
};

/* The thread's next step. */
/* clang-format off */
enum {
	P_BUSY, P_LOOK, P_CLAIM, P_REOPEN, P_TAKE, P_SIZE_0, P_NEXT_0, P_NUMBER, P_CLOSE_0, P_LIMIT,
	P_SHOW, P_CLOCK, P_DATA, P_COMMIT, P_IDLE, P_LOSE, P_LEAVE_CLOSE, P_LEAVE_LIMIT, P_LEAVE, P_END
};

/* The writer's next step. */
enum {
	C_HEAD, C_CLEAR_FIRST, C_LOOK, C_CLOSE, C_LIMIT, C_SETTLE, C_CHECK, C_TIME, C_SWAP,
	C_TELL_BUSY, C_TELL_HEAD, C_TELL
};
/* clang-format on */

struct state {
	uint8_t memory[PLACES];
	struct store buffer[BUFFERED];
	uint8_t buffered;
	uint8_t numbers; /* numbers given to packets so far */
	uint8_t number[PACKETS + 1];
	uint8_t owned[PACKETS + 1]; /* owned by the thread, or full and not written yet */
	/* of the thread */
	uint8_t at, subbuf, before, fresh, pos, event;
	/* of the writer */
	uint8_t writer, head, claim, unsettled, checked;
	uint8_t timed, late; /* the packet's end was read; an event's time was read after it */
	uint8_t written; /* bit by event */
	uint8_t before_tell, tells; /* numbers given at the writer's look; its own packets */
	uint8_t last; /* number of the last written packet */
	uint8_t lost;
};

/* The part of the protocol that is left out. */
enum without { WHOLE, NO_CLAIM, NO_SETTLE, EARLY_END, NO_LOOK, CONTINUED };

struct setup {
	enum without without;
	bool buffering;
	uint8_t events;
	uint8_t leaves; /* the number of events after which the thread ends; 0: it never ends */
};

extern struct setup setup;

/* Makes the oldest of the thread's stores visible. */
void drain_one(struct explorer *e, struct state *s);

/* Does the thread's next step; its stores are in program order. */
void produce(struct explorer *e, struct state *s);

/* Does the writer's next step; may offer an alternative to the explorer itself. */
void consume(struct explorer *e, struct state *s);

#endif
