/* SPDX-License-Identifier: MIT */
/*
 * Draining for all backends: passes of all consumers, and what these share: reading the state of
 * packets, closing packets early, and slots whose threads have ended. Under the drain lock, unless
 * a function says otherwise.
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

/* Returns true if its thread has closed the packet, so that its content is final. */
static inline bool packet_is_closed(const struct buffer *b, uint32_t subbuf)
{
	return __atomic_load_n(&b->subbufs[subbuf].next, __ATOMIC_ACQUIRE) != 0;
}

/* Returns the packet that follows in the list; 0 if there is none (yet). */
static inline uint32_t packet_next(const struct buffer *b, uint32_t subbuf)
{
	uint32_t next = __atomic_load_n(&b->subbufs[subbuf].next, __ATOMIC_ACQUIRE);

	return next == CURSOR_HANDED_OVER ? 0 : next;
}

/* Returns the published bytes of the packet, which are final after packet_is_closed(). */
static inline uint64_t packet_bytes(struct buffer *b, uint32_t subbuf)
{
	return __atomic_load_n(&packet_at(b, subbuf)->content_size, __ATOMIC_ACQUIRE) / 8;
}

/* Returns the cursor's first packet that the consumer has not seen; 0 if there is none. */
static inline uint32_t cursor_first(struct cursor *c)
{
	uint32_t first = __atomic_load_n(&c->first, __ATOMIC_ACQUIRE);

	if (first) {
		__atomic_store_n(&c->first, 0, __ATOMIC_RELAXED);
	}
	return first;
}

/* Returns what a pass must do now. Any thread. */
enum drain_mode waymark_drain_mode(const struct process *p);

/* Makes a pass of every consumer that has a buffer; returns how much they took. */
uint64_t waymark_drain_pass(struct process *p, enum drain_mode mode);

/* Gives a sub-buffer back to the buffer, and wakes threads that wait for one. */
void waymark_recorder_free(struct recorder *r, uint32_t subbuf);

/* Makes every cursor's next event take the slow path, which rings the doorbell. */
void waymark_drain_expire(void);

/* Returns true if every cursor's next event still rings, and nothing is left to drain. */
bool waymark_drain_is_quiet(struct process *p);

/* Returns true if the slot's thread may record again, and is not the one that ends the process. */
bool waymark_drain_may_record(const struct process *p, const struct slot *s);

/*
 * Returns true if, of all threads that have recorded, only the one that ends the process can do so
 * again.
 */
bool waymark_drain_is_alone(const struct process *p);

/*
 * Returns true if no thread is in an event of the recorder, and the next event takes the slow path.
 * Events that the thread ending the process will never finish do not count.
 */
bool waymark_drain_is_still(const struct process *p, int recorder);

/* Frees the slots of threads that ended without a call of thread_exit(). */
void waymark_drain_find_dead(void);

/* Measures how many ticks there are in 100 ms. */
void waymark_drain_measure(struct process *p, struct clock_pair from, struct clock_pair to);

/* Starts the writer thread unless it runs. Must not be called in signal handlers. */
void waymark_writer_start(void);

#endif
