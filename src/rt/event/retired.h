/* SPDX-License-Identifier: MIT */
/*
 * Memory that control has replaced while threads may still use it: decisions and triggers of
 * events. Threads use it inside their slots (record/cursor.h). It is freed by a later change: when
 * GRACE_NS have passed, after which every processor sees what replaced it, and each slot has been
 * seen outside since. Under the control lock.
 */
#ifndef RT_EVENT_RETIRED_H
#define RT_EVENT_RETIRED_H

#include <stdint.h>

/* The first member of what is retired. */
struct retired {
	struct retired *next; /* retired before */
	uint64_t ns;
	void (*release)(struct retired *r);
};

/* Frees it later by `release`. */
void waymark_retire(struct retired *r, void (*release)(struct retired *r));

/* Frees what no thread uses any more. */
void waymark_retired_collect(void);

#endif
