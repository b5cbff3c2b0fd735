/* SPDX-License-Identifier: MIT */
/* The table of counts.h: pieces mapped on demand, relaxed atomics within them. */
#include "rt/record/counts.h"
#include "rt/record/wiped.h"

#define PIECE_BYTES (COUNTS_PIECE * sizeof(struct tally))

/* By release; mapped when the first of its events is counted. */
static struct tally *pieces[COUNTS_PIECES];

static uint32_t counting; /* enum waymark_counting; relaxed */

/* NULL: no memory. Threads may race: one mapping stays. */
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
