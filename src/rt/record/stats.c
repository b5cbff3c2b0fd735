/* SPDX-License-Identifier: MIT */
/*
 * Counters of each event and of the whole process. The latter are sums over all slots, over the
 * recorders for threads without a slot, and over the consumers for events that their files did not
 * take. The table of events is mapped in pieces on demand; its counts are relaxed atomics.
 */
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/record/stats.h"

#define PIECE_BYTES (COUNTS_PIECE * sizeof(struct tally))

/* By release; mapped when the first of its events is counted. */
static struct tally *pieces[COUNTS_PIECES];

static uint32_t counting; /* enum waymark_counting; relaxed */

/*
 * Returns the piece with the event; NULL if there is no memory. Threads may race; one mapping
 * stays.
 */
static struct tally *get_piece(uint16_t id)
{
	struct tally **place = &pieces[id / COUNTS_PIECE];
	struct tally *t = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	struct tally *none = NULL;

	if (t) {
		return t;
	}
	t = waymark_wiped_map(PIECE_BYTES);
	if (t && !__atomic_compare_exchange_n(
			 place, &none, t, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		waymark_wiped_unmap(t, PIECE_BYTES);
		t = none;
	}
	return t;
}

void waymark_counts_switch(bool on)
{
	__atomic_store_n(
		&counting, on ? WAYMARK_COUNTING_ON : WAYMARK_COUNTING_OFF, __ATOMIC_RELAXED);
}

enum waymark_counting waymark_counts_state(void)
{
	return __atomic_load_n(&counting, __ATOMIC_RELAXED);
}

void waymark_counts_get(uint32_t id, struct tally *counts)
{
	*counts = (struct tally){ 0 };
	const struct tally *t =
		id < COUNTS_IDS ? __atomic_load_n(&pieces[id / COUNTS_PIECE], __ATOMIC_ACQUIRE)
				: NULL;

	if (t) {
		t += id % COUNTS_PIECE;
		counts->recorded = __atomic_load_n(&t->recorded, __ATOMIC_RELAXED);
		counts->lost = __atomic_load_n(&t->lost, __ATOMIC_RELAXED);
		counts->bytes = __atomic_load_n(&t->bytes, __ATOMIC_RELAXED);
	}
}

void waymark_counts_lose(uint32_t id)
{
	struct tally *t = get_piece((uint16_t)id);

	if (t) {
		__atomic_fetch_add(&t[(uint16_t)id % COUNTS_PIECE].lost, 1, __ATOMIC_RELAXED);
	}
}

void waymark_counts_add(uint16_t id, uint64_t events, uint64_t bytes)
{
	struct tally *t = get_piece(id);

	if (t) {
		t += id % COUNTS_PIECE;
		__atomic_store_n(&t->recorded, t->recorded + events, __ATOMIC_RELAXED);
		__atomic_store_n(&t->bytes, t->bytes + bytes, __ATOMIC_RELAXED);
	}
}

/* Relaxed, because it is only a count. */
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
