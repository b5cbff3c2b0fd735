/* SPDX-License-Identifier: MIT */
/*
 * Draining: takes what cursors have published, of closed packets and of open
 * ones, merges it by time and gives it to the sink in runs of one cursor. Only
 * who holds the process's drain lock may call.
 *
 * A pass takes what is older than its begin. So what it writes is in order but
 * for events that were being recorded at that moment, and threads that record
 * all the time cannot make it endless. A thread that stops in the middle of an
 * event holds up nobody but itself, if it had signal handlers that recorded, and
 * that not longer than DRAIN_HOLD, so that each thread's events stay in order.
 */
#ifndef RT_RECORD_DRAIN_H
#define RT_RECORD_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/record/arena.h"
#include "rt/record/cursor.h"
#include "rt/sink/simple.h"

#define DRAIN_HOLD 2 /* in moments of 100 ms */
#define DRAIN_SOURCES 4096u

/* A cursor with something to take, in the heap of a pass. */
struct source {
	uint64_t ticks; /* of its next record */
	uint64_t horizon; /* later ones stay for the next pass */
	struct cursor *cursor;
};

struct drain {
	struct clock_pair last; /* the end of the clock's last segment */
	uint64_t told_unplaced; /* of lost_unplaced */
	uint32_t count;
	struct source heap[DRAIN_SOURCES];
	struct simple_out out;
};

enum drain_mode {
	DRAIN_USUAL,
	DRAIN_ALL, /* for a flush: holds nothing back, tells every loss */
};

struct process;

/* Takes and writes what is there. Returns how many events that were. */
uint64_t waymark_drain_pass(struct process *p, enum drain_mode mode);

/*
 * Makes every cursor's next event take the slow path, which rings the doorbell.
 * Tells the losses that no later packet has told yet.
 */
void waymark_drain_expire(struct process *p);

/* Whether every cursor is still expired: then nothing can be recorded without a ring. */
bool waymark_drain_is_expired(struct process *p);

/* Marks the slots of threads that ended without saying so. */
void waymark_drain_find_dead(void);

/* How many events were lost so far. Any thread. */
uint64_t waymark_drain_count_lost(struct process *p);

#endif
