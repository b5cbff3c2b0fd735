/* SPDX-License-Identifier: MIT */
/*
 * A thread's slot: for each recorder, one cursor for each depth of signal handlers that interrupt
 * each other's events. A slot has a producer, its thread, and a consumer, which holds the drain
 * lock; each field belongs to one of them. A thread that ends only requests that its packets be
 * closed. The slot's next thread may begin before that is done, and continues the streams. So the
 * number of streams is bounded by the number of threads at one time.
 *
 * Slots are in pages that fork wipes, so in a child all cursors are `not started`. The owners of
 * slots are noted elsewhere (slot.c), which a fork keeps, so that a child's new thread never gets
 * the slot that its forking thread still has.
 */
#ifndef RT_RECORD_CURSOR_H
#define RT_RECORD_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/record.h>

#define CURSOR_DEPTHS 4

/* The most slabs; slots are mapped a slab at a time. */
#define SLOT_SLABS_MAX 1024u

/*
 * The `next` of a packet that its thread has handed over because it found no sub-buffer for another
 * one; the list continues at `first`.
 */
#define CURSOR_HANDED_OVER UINT32_MAX

/* Bytes of each cursor that the consumer casts to its own struct. */
#define CURSOR_OWN_BYTES 96u

/* How far a cursor is drained: the state that all consumers have in common. */
struct draining {
	uint32_t subbuf; /* of the oldest packet that is not drained; 0: before the first */
	uint32_t claim; /* the cursor's `claim` when closing began */
	uint64_t closing_ns; /* when closing of the open packet was requested; 0: it was not */
	uint64_t discarded; /* lost events of the cursor that were reported */
	bool taken; /* the packet was taken from the cursor, so no other follows it */
};

/* Counts of recorded and lost events, see below. */
struct tally {
	waymark_count recorded; /* events */
	waymark_count lost; /* events */
	waymark_count bytes; /* of recorded events, padded */
};

struct cursor {
	/* Fields of the producer. `content_size` and `subbuf` are published by release. */
	struct waymark_cursor hot; /* first: the inline code works on it */
	uint32_t subbuf; /* of the open packet; 0: there is none */
	uint32_t first; /* the first packet's sub-buffer, by release; 0: the consumer has it or
			   there is none */
	uint32_t claim; /* see close.h */
	uint32_t close; /* the open packet must not be continued */
	uint64_t sequence; /* of the last packet: by atomic addition, see install() */
	uint64_t stream; /* of this process, from 1; 0: none yet; see buffer_stream_id() */
	uint64_t lost; /* events, by atomic addition; those nested too deep are in the last depth */
	waymark_count counted; /* hot.count, 64 bits wide, at the open packet's beginning */
	waymark_count bytes; /* of the packets before that */
	waymark_count shown; /* stored by any thread: the most bytes that were reported */
	uint32_t turn; /* odd while the packet changes */
	uint32_t cut_off; /* events that a fork cut off, which do not count in this process */
	/* Fields of the consumer. */
	struct draining draining __attribute__((aligned(64)));
	char own[CURSOR_OWN_BYTES] __attribute__((aligned(16)));
} __attribute__((aligned(64)));

struct slot {
	struct cursor cursors[WAYMARK_RECORDERS][CURSOR_DEPTHS]; /* waymark_cursors point here */
	uint64_t owner; /* low half: the thread's id, by release at its first event; high
			   half: counts threads that have left it */
	uint32_t left; /* its thread has ended inside of an event, by release: see
			  waymark_slot_leave() */
	uint32_t evaluating; /* odd while the thread evaluates a condition: see below */
	void *limited; /* of rt/site/limit.c; NULL: none yet */
	void *aggregated; /* of rt/site/aggregate.c; NULL: none yet */
	uint32_t aggregating; /* signal handlers that add up, and interrupted that */
	struct tally ended; /* the cursors' counts when the last owner ended, see below */
} __attribute__((aligned(64)));

/* The cursor that waymark_cursors point to before a thread has a slot. */
extern struct waymark_cursor waymark_no_cursor;

/* Returns the calling thread's slot if it has one, or NULL. */
static inline struct slot *waymark_slot_current(void)
{
	struct waymark_cursor *first = waymark_cursors[0];

	return first == &waymark_no_cursor ? NULL : (struct slot *)(void *)first;
}

/*
 * Takes a slot for the calling thread, which has none; returns NULL if there is no memory. Any
 * signal handler.
 */
struct slot *waymark_slot_claim(void);

/* Separates the calling thread from its slot, which is still owned, see waymark_slot_leave(). */
void waymark_slot_let_go(void);

/* Returns the id of the slot's thread; 0 if it is not known yet. */
static inline uint32_t slot_tid(const struct slot *s)
{
	return (uint32_t)__atomic_load_n(&s->owner, __ATOMIC_ACQUIRE);
}

/*
 * Returns the next slot, from *index on, that a thread has or has left something in, and moves
 * *index past it; NULL at the end. Start with 0. The slot's content may still be all zero. The
 * consumer.
 */
struct slot *waymark_slot_next(uint32_t *index);

/*
 * Does what waymark_slot_next() does, including empty slots, whose streams may continue. Any
 * thread.
 */
struct slot *waymark_slot_next_ever(uint32_t *index);

/* Returns true if a thread has the slot, which may change at any moment. Any thread. */
bool waymark_slot_is_owned(const struct slot *s);

/*
 * Frees the slot of an owner that has ended, unless it left in the middle of an event, by
 * pthread_exit() or a jump out of a signal handler. Then a cursor may be in any state, so the slot
 * stays owned until the consumer calls waymark_slot_renew(). The thread itself, or the consumer.
 */
void waymark_slot_leave(struct slot *s, uint64_t owner);

/* Returns true if its owner has ended in the middle of an event. */
static inline bool slot_is_left(const struct slot *s)
{
	return __atomic_load_n(&s->left, __ATOMIC_ACQUIRE);
}

/*
 * Frees a slot that was left in this way, once it is drained. Its next owner continues its streams.
 * The consumer.
 */
void waymark_slot_renew(struct slot *s);

/*
 * Makes waymark_slot_next() skip an empty slot until it has an owner again. After
 * waymark_slot_forget() the consumer checks the slot once more, and calls waymark_slot_remember()
 * if an owner came meanwhile. The consumer.
 */
void waymark_slot_forget(struct slot *s);
void waymark_slot_remember(struct slot *s);

/* Call in a fork's child: frees all slots but the calling thread's. */
void waymark_slot_keep_mine(void);

/*
 * A thread marks its slot while it uses memory that control frees: conditions of events. Control
 * replaces the pointer, waits longer than a store needs to reach other processors, and then frees
 * what it replaced, once it has seen each slot unmarked or marked anew. So a thread needs no atomic
 * operation. Pass the result of slot_enter() to slot_exit(). The thread, any signal handler.
 */
static inline uint32_t slot_enter(struct slot *s)
{
	uint32_t turn = s->evaluating;

	__atomic_store_n(&s->evaluating, turn | 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return turn;
}

/* Does nothing in a signal handler that interrupted the thread there. */
static inline void slot_exit(struct slot *s, uint32_t turn)
{
	/* An outer call's mark stays. */
	__atomic_store_n(&s->evaluating, turn + (turn & 1 ? 0 : 2), __ATOMIC_RELEASE);
}

/*
 * Returns true once it has seen each slot outside, or entered anew; false if a thread does not
 * leave in time. Any thread that may sleep for some milliseconds.
 */
bool waymark_slots_were_left(void);

/* Iterates over all cursors of a slot. */
#define slot_foreach_cursor(c, s)                    \
	for (struct cursor *c = &(s)->cursors[0][0]; \
		c < &(s)->cursors[0][0] + WAYMARK_RECORDERS * CURSOR_DEPTHS; c++)

/*
 * Counters of events that threads recorded and lost, which any thread may read at any time. They
 * cost one instruction an event, for the cursor's 32-bit count. The slow path maintains the rest,
 * once a packet:
 *
 *	recorded    `counted`, 64 bits wide, is the count as of the last packet's begin: in
 *	            one packet the count grows by less than 2^32, so both together give all
 *	bytes       of the packets before are added up; those of the open one are the
 *	            distance of `pos` from its begin
 *
 * A slot has several owners in turn, while its cursors continue counting. The counts when an owner
 * ended are noted, and the next owner's counts are the difference. So no number decreases, and
 * nothing is counted twice.
 */

/* Adds what all cursors of a slot have recorded and lost so far. Any thread. */
void waymark_tally_slot(struct slot *s, struct tally *sum);

/*
 * Adds the present owner's share of these counts to `own`, and the share of former owners to
 * `ended`. Returns the owner's id; 0 if it is unknown, and everything is in `ended`. Any thread.
 */
uint32_t waymark_tally_owner(struct slot *s, struct tally *own, struct tally *ended);

/*
 * Call before and after a change of the cursor's packet, with the cursor marked busy. The first
 * adds up the events of the former packet; between the calls the new packet's place may be stored.
 * The cursor's thread.
 */
void waymark_tally_begin(struct cursor *c);
void waymark_tally_end(struct cursor *c);

#endif
