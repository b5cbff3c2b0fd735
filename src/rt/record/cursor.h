/* SPDX-License-Identifier: MIT */
/*
 * A thread's slot: for each recorder, one cursor for each depth of signal
 * handlers that interrupt each other's events. A slot has a producer, its
 * thread, and a consumer, which holds the drain lock; each field belongs to one
 * of them. A thread that ends only requests that its packets be closed; the slot's
 * next thread may come before that is done, and continues its streams. So
 * their number is bounded by that of the threads at one time.
 *
 * Slots lie in pages that fork wipes, so in a child all cursors read `not
 * started`; who owns which slot is kept elsewhere (slot.c) and survives, so
 * that a child's new thread never gets the slot its forking thread still has.
 */
#ifndef RT_RECORD_CURSOR_H
#define RT_RECORD_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/record.h>

#define CURSOR_DEPTHS 4

/* Slots are mapped a slab at a time. */
#define SLOT_SLABS_MAX 1024u

/*
 * The `next` of a packet whose thread found no sub-buffer for another one: it has handed this
 * one over, and the list goes on at `first`.
 */
#define CURSOR_HANDED_OVER UINT32_MAX

/* Bytes of each cursor that its consumer casts to a struct of its own. */
#define CURSOR_OWN_BYTES 96u

/* How far a cursor is drained: what all consumers have in common. */
struct draining {
	uint32_t subbuf; /* of the oldest packet that is not drained; 0: before the first */
	uint32_t claim; /* of the cursor, when closing began */
	uint64_t closing_ns; /* since when the open packet is to be closed; 0: it is not */
	uint64_t discarded; /* lost events of the cursor that were reported */
	bool taken; /* the packet is not the cursor's any more: no other follows it */
};

/* Counts of recorded and lost events: see below. */
struct tally {
	waymark_count recorded; /* events */
	waymark_count lost; /* events */
	waymark_count bytes; /* of recorded events, padded */
};

struct cursor {
	/* The producer's; `content_size` and `subbuf` are published by release. */
	struct waymark_cursor hot; /* first: the inline code works on it */
	uint32_t subbuf; /* of the open packet; 0: there is none */
	uint32_t first; /* the first packet's sub-buffer, by release; 0: the consumer has it or
			   there is none */
	uint32_t claim; /* see close.h */
	uint32_t close; /* the open packet must not be continued */
	uint64_t sequence; /* of the last packet: by atomic addition, see install() */
	uint64_t stream; /* of this process, from 1; 0: none yet; see buffer_stream_id() */
	uint64_t lost; /* by atomic addition: handlers too deep count in the last depth */
	waymark_count counted; /* hot.count, 64 bits wide, at the open packet's begin */
	waymark_count bytes; /* of the packets before that */
	waymark_count shown; /* any thread's: the most bytes that were reported */
	uint32_t turn; /* odd: the packet changes */
	uint32_t cut_off; /* by a fork in the middle of an event, which does not count here */
	/* The consumer's. */
	struct draining draining __attribute__((aligned(64)));
	char own[CURSOR_OWN_BYTES] __attribute__((aligned(16)));
} __attribute__((aligned(64)));

struct slot {
	struct cursor cursors[WAYMARK_RECORDERS][CURSOR_DEPTHS]; /* waymark_cursors point here */
	uint64_t owner; /* low half: the thread's id, by release at its first event; high
			   half: counts threads that have left it */
	uint32_t left; /* its thread has ended inside of an event, by release: see
			  waymark_slot_leave() */
	struct tally ended; /* the cursors' counts when the last owner ended, see below */
} __attribute__((aligned(64)));

/* The calling thread's slot if it has one. */
struct slot *waymark_slot_current(void);

/* Takes a slot for the calling thread, which has none; NULL without memory. Any signal handler. */
struct slot *waymark_slot_claim(void);

/* The calling thread has no slot any more; the slot is still owned, see waymark_slot_leave(). */
void waymark_slot_let_go(void);

/* The id of the slot's thread; 0: not known yet. */
static inline uint32_t slot_tid(const struct slot *s)
{
	return (uint32_t)__atomic_load_n(&s->owner, __ATOMIC_ACQUIRE);
}

/*
 * The next slot that a thread has, or has left something in, from *index on,
 * which it moves past it; NULL at the end. Start with 0. The consumer; the slot's
 * content may still be all zero.
 */
struct slot *waymark_slot_next(uint32_t *index);

/* As waymark_slot_next(), but with empty slots, whose streams may go on. Any thread. */
struct slot *waymark_slot_next_ever(uint32_t *index);

/* True if a thread has the slot. Any thread; it may be otherwise the next moment. */
bool waymark_slot_is_owned(const struct slot *s);

/*
 * The owner has ended, and its slot is free: unless it has left an event in the
 * middle, by pthread_exit() or a jump out of a handler. Then a cursor may be in
 * any state, so the slot stays owned until the consumer calls waymark_slot_renew(). The
 * thread itself, or the consumer.
 */
void waymark_slot_leave(struct slot *s, uint64_t owner);

/* True if its owner has ended in the middle of an event. */
static inline bool slot_is_left(const struct slot *s)
{
	return __atomic_load_n(&s->left, __ATOMIC_ACQUIRE);
}

/*
 * Frees a slot that was left, when it is drained. Its next owner continues its streams. The
 * consumer.
 */
void waymark_slot_renew(struct slot *s);

/*
 * An empty slot is skipped by waymark_slot_next() until it has an owner again. After
 * waymark_slot_forget() the consumer looks at it once more, and remembers it if an owner came in
 * between. The consumer.
 */
void waymark_slot_forget(struct slot *s);
void waymark_slot_remember(struct slot *s);

/* In a fork's child: no slot but the calling thread's has an owner there. */
void waymark_slot_keep_mine(void);

/* All cursors of a slot. */
#define slot_foreach_cursor(c, s)                    \
	for (struct cursor *c = &(s)->cursors[0][0]; \
		c < &(s)->cursors[0][0] + WAYMARK_RECORDERS * CURSOR_DEPTHS; c++)

/*
 * Counters of what threads recorded and lost, read by any other thread while they go on.
 * An event costs one instruction for it: the cursor's 32-bit count. The slow path
 * keeps the rest, once a packet:
 *
 *	recorded    `counted`, 64 bits wide, is the count as of the last packet's begin: in
 *	            one packet the count grows by less than 2^32, so both together give all
 *	bytes       of the packets before are added up; those of the open one are the
 *	            distance of `pos` from its begin
 *
 * A slot has one owner after the other and its cursors count on: the counts when an owner ended
 * are noted, and the next owner's are the difference. So no number decreases, and nothing is
 * counted twice.
 */

/* Adds what all cursors of a slot have recorded and lost so far. Any thread. */
void waymark_tally_slot(struct slot *s, struct tally *sum);

/*
 * Adds the present owner's share of that to `own`, and that of former owners to `ended`. Returns
 * the owner's id; 0 where it is not known, and all is in `ended`. Any thread.
 */
uint32_t waymark_tally_owner(struct slot *s, struct tally *own, struct tally *ended);

/*
 * Around a change of the cursor's packet, with it marked busy: what the one before
 * holds is added up, and the new one's place may be stored. Its thread.
 */
void waymark_tally_begin(struct cursor *c);
void waymark_tally_end(struct cursor *c);

#endif
