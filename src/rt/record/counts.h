/* SPDX-License-Identifier: MIT */
/*
 * Counts of each event, by id. Losses are counted where they happen, always: that is a
 * slow path. Recorded events are counted by the consumer, and only while counting is
 * on, because it must look at every record for that.
 *
 * The table is mapped piece by piece when it is needed, and wiped by a fork.
 */
#ifndef RT_RECORD_COUNTS_H
#define RT_RECORD_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include <waymark/control.h>

#include "format/packet.h"
#include "rt/record/cursor.h"

#define COUNTS_IDS (1u << PACKET_ID_BITS)
/* Events of a piece: a program has a few hundred, and locked memory is resident. */
#define COUNTS_PIECE 1024u
#define COUNTS_PIECES (COUNTS_IDS / COUNTS_PIECE)

/* Any thread. */
void waymark_counts_switch(bool on);
enum waymark_counting waymark_counts_state(void);

static inline bool counts_are_on(void)
{
	return waymark_counts_state() == WAYMARK_COUNTING_ON;
}

/*
 * The counts of an event since counting was switched on; zero where nothing is known.
 * Any thread.
 */
void waymark_counts_get(uint32_t id, struct tally *counts);

/* An event was lost. Any thread, any signal handler. */
void waymark_counts_lose(uint32_t id);

/* Adds recorded events and their bytes. The consumer. */
void waymark_counts_add(uint16_t id, uint64_t events, uint64_t bytes);

/* Consecutive events of one id, which are added at once. All zero: none yet. */
struct counts_run {
	uint16_t id;
	uint64_t events; /* that were before it */
	uint64_t at; /* it begins there */
};

/* Adds the run and begins the next one: `events` have been, and the next one is at `at`. */
static inline void counts_add_run(struct counts_run *run, uint16_t id, uint64_t events, uint64_t at)
{
	if (events > run->events) {
		waymark_counts_add(run->id, events - run->events, at - run->at);
	}
	*run = (struct counts_run){ id, events, at };
}

#endif
