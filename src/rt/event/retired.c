/* SPDX-License-Identifier: MIT */
/* Memory that threads may still use: see retired.h. */
#include <stdbool.h>
#include <stddef.h>

#include "rt/event/retired.h"
#include "rt/record/cursor.h"

/* How long after a store other processors see it at the latest. */
#define GRACE_NS UINT64_C(100000000)

/* The last one first. Under the control lock. */
static struct retired *retired;

void waymark_retire(struct retired *r, void (*release)(struct retired *r))
{
	r->ns = waymark_clock_ns();
	r->release = release;
	r->next = retired;
	retired = r;
}

void waymark_retired_collect(void)
{
	struct retired **place = &retired;
	uint64_t now = waymark_clock_ns();

	while (*place && now - (*place)->ns < GRACE_NS) {
		place = &(*place)->next;
	}
	struct retired *old = *place;

	if (!old || !waymark_slots_were_left()) {
		return;
	}
	*place = NULL;
	while (old) {
		struct retired *next = old->next;

		old->release(old);
		old = next;
	}
}
