/* SPDX-License-Identifier: MIT */
/* The counters of the whole process: see tally.h for those of threads, counts.h for those of
 * events. */
#ifndef RT_RECORD_STATS_H
#define RT_RECORD_STATS_H

#include <stdint.h>

#include "rt/record/consumer.h"
#include "rt/record/tally.h"

/* Counts an event lost before there was memory for the process block. Any thread, any signal
 * handler. */
void waymark_stats_lose_early(void);
uint64_t waymark_stats_lost_early(void);

/* Adds what was lost by threads without a slot. `p` may be NULL. Any thread. */
void waymark_stats_add_unplaced(const struct process *p, struct tally *sum);

/* Adds all that was recorded and lost. `p` may be NULL. Any thread. */
void waymark_stats_add_all(const struct process *p, struct tally *sum);

/*
 * The sum of all consumers' counters; `error` is that of one which has any, and *failed names
 * it; `failed` may be NULL. Any thread, any signal handler.
 */
struct consumer_status waymark_stats_status(const struct process *p, enum waymark_recorder *failed);

#endif
