/* SPDX-License-Identifier: MIT */
/*
 * Draining, whatever the backend: passes of all consumers, and what they share: a look at
 * packets, closing them early, slots whose threads have ended. Under the drain lock, unless a
 * function says otherwise.
 */
#ifndef RT_RECORD_DRAIN_H
#define RT_RECORD_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "format/packet.h"
#include "rt/record/process.h"

static inline struct packet_header *packet_at(struct buffer *b, uint32_t subbuf)
{
	return (void *)buffer_at(b, subbuf);
}

/* True if its thread has closed it: its content is final then. */
static inline bool packet_is_closed(const struct buffer *b, uint32_t subbuf)
{
	return __atomic_load_n(&b->subbufs[subbuf].next, __ATOMIC_ACQUIRE) != 0;
}

/* The packet that follows in the list, 0 where there is none (yet). */
static inline uint32_t packet_next(const struct buffer *b, uint32_t subbuf)
{
	uint32_t next = __atomic_load_n(&b->subbufs[subbuf].next, __ATOMIC_ACQUIRE);

	return next == CURSOR_HANDED_OVER ? 0 : next;
}

/* The published bytes of it; final after packet_is_closed(). */
static inline uint64_t packet_bytes(struct buffer *b, uint32_t subbuf)
{
	return __atomic_load_n(&packet_at(b, subbuf)->content_size, __ATOMIC_ACQUIRE) / 8;
}

/* The cursor's first packet that the consumer has not seen, 0 where there is none. */
static inline uint32_t cursor_first(struct cursor *c)
{
	uint32_t first = __atomic_load_n(&c->first, __ATOMIC_ACQUIRE);

	if (first) {
		__atomic_store_n(&c->first, 0, __ATOMIC_RELAXED);
	}
	return first;
}

/* The aim of a pass now. Any thread. */
enum drain_mode waymark_drain_mode(const struct process *p);

/* A pass of every consumer that has a buffer; returns how much they took. */
uint64_t waymark_drain_pass(struct process *p, enum drain_mode mode);

/* Returns a sub-buffer to the buffer and wakes threads that wait for one. */
void waymark_recorder_free(struct recorder *r, uint32_t subbuf);

/* Makes every cursor's next event take the slow path, which rings the doorbell. */
void waymark_drain_expire(void);

/* True if that still holds for every cursor, and nothing is left to drain: the next event rings. */
bool waymark_drain_is_quiet(struct process *p);

/* True if it is the slot of a thread that may record again, and does not end the process. */
bool waymark_drain_may_record(const struct process *p, const struct slot *s);

/* True if no thread but the one that ends the process has recorded and can again. */
bool waymark_drain_is_alone(const struct process *p);

/*
 * True if no thread is in an event of the recorder, and the next event takes the slow path. Events
 * that the thread which ends the process never finishes do not count.
 */
bool waymark_drain_is_still(const struct process *p, int recorder);

/* Frees the slots of threads that ended without saying so. */
void waymark_drain_find_dead(void);

/* Measures how many ticks 100 ms are. */
void waymark_drain_measure(struct process *p, struct clock_pair from, struct clock_pair to);

/* Starts the writer thread unless it runs. Not in signal handlers. */
void waymark_writer_start(void);

#endif
