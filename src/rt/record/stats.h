/* SPDX-License-Identifier: MIT */
/*
 * Counters of each event, by id, and of the whole process; the counters of threads are in cursor.h.
 *
 * Losses of an event are always counted, where they happen, because that is a slow path. Recorded
 * events are counted by the consumer, and only while counting is on, because it must read every
 * record for that. The table of events is mapped in pieces on demand, and wiped by a fork.
 */
#ifndef RT_RECORD_STATS_H
#define RT_RECORD_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <waymark/control.h>

#include "format/packet.h"
#include "rt/record/consumer.h"

#define COUNTS_IDS (1u << PACKET_ID_BITS)
/*
 * Events of a piece. It is small, because a program has a few hundred events, and locked memory is
 * resident.
 */
#define COUNTS_PIECE 1024u
#define COUNTS_PIECES (COUNTS_IDS / COUNTS_PIECE)

/* Switches counting on or off. Any thread. */
void waymark_counts_switch(bool on);
enum waymark_counting waymark_counts_state(void);

static inline bool counts_are_on(void)
{
	return waymark_counts_state() == WAYMARK_COUNTING_ON;
}

/*
 * Gives the counts of an event since counting was switched on; zero if nothing is known. Any
 * thread.
 */
void waymark_counts_get(uint32_t id, struct tally *counts);

/* Counts a lost event. Any thread, any signal handler. */
void waymark_counts_lose(uint32_t id);

/* Adds recorded events and their bytes. The consumer. */
void waymark_counts_add(uint16_t id, uint64_t events, uint64_t bytes);

/* A run of consecutive events with the same id, which are added together. All zero: none yet. */
struct counts_run {
	uint16_t id;
	uint64_t events; /* events before the run */
	uint64_t at; /* where the run begins */
};

/* Adds the run and begins the next one, after `events` events, at `at`. */
static inline void counts_add_run(struct counts_run *run, uint16_t id, uint64_t events, uint64_t at)
{
	if (events > run->events) {
		waymark_counts_add(run->id, events - run->events, at - run->at);
	}
	*run = (struct counts_run){ id, events, at };
}

/*
 * Counts an event lost before there was memory for the process block. Any thread, any signal
 * handler.
 */
void waymark_stats_lose_early(void);
uint64_t waymark_stats_lost_early(void);

/* Adds the losses of threads without a slot. `p` may be NULL. Any thread. */
void waymark_stats_add_unplaced(const struct process *p, struct tally *sum);

/* Adds all that was recorded and lost. `p` may be NULL. Any thread. */
void waymark_stats_add_all(const struct process *p, struct tally *sum);

/*
 * Returns the sum of all consumers' counters. `error` comes from one that has an error, which
 * *failed names; `failed` may be NULL. Any thread, any signal handler.
 */
struct consumer_status waymark_stats_status(const struct process *p, enum waymark_recorder *failed);

#endif
