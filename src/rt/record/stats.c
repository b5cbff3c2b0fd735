/* SPDX-License-Identifier: MIT */
/*
 * Adds up what the process has recorded, lost and written: over all slots, over the recorders
 * for threads that have no slot, and over the consumers for what their files did not take.
 */
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/record/stats.h"

/* Relaxed: a count. */
static uint64_t lost_early;

void waymark_stats_lose_early(void)
{
	__atomic_fetch_add(&lost_early, 1, __ATOMIC_RELAXED);
}

uint64_t waymark_stats_lost_early(void)
{
	return __atomic_load_n(&lost_early, __ATOMIC_RELAXED);
}

void waymark_stats_add_unplaced(const struct process *p, struct tally *sum)
{
	sum->lost += waymark_stats_lost_early();
	for (int k = 0; p && k < WAYMARK_RECORDERS; k++) {
		sum->lost += __atomic_load_n(&p->recorders[k].lost_unplaced, __ATOMIC_RELAXED);
	}
}

void waymark_stats_add_all(const struct process *p, struct tally *sum)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next_ever(&index));) {
		waymark_tally_slot(s, sum);
	}
	waymark_stats_add_unplaced(p, sum);
}

struct consumer_status waymark_stats_status(const struct process *p, enum waymark_recorder *failed)
{
	struct consumer_status sum = { 0 };

	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		const struct recorder *r = &p->recorders[k];
		struct consumer_status one = { 0 };

		if (!recorder_buffer(r)) {
			continue;
		}
		recorder_consumer(p, r)->get_status(r, &one);
		sum.unwritten += one.unwritten;
		sum.progress += one.progress;
		if (one.error) {
			sum.error = one.error;
			if (failed) {
				*failed = (enum waymark_recorder)k;
			}
		}
	}
	return sum;
}

void waymark_recorder_get_stats(struct waymark_recorder_stats *stats)
{
	struct process *p = waymark_process_current();
	struct consumer_status status = { 0 };
	struct tally all = { 0 };

	waymark_stats_add_all(p, &all);
	stats->failed = (enum waymark_recorder)0;
	if (p) {
		status = waymark_stats_status(p, &stats->failed);
	}
	stats->recorded = all.recorded;
	stats->lost = all.lost;
	stats->bytes = all.bytes;
	stats->unwritten = status.unwritten;
	stats->error = status.error;
}
