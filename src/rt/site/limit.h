/* SPDX-License-Identifier: MIT */
/*
 * Limits of events in the threads that fire them, and the counts of calls that they left out.
 *
 * Each thread has its own state for each event, so limits take no lock. The count of calls that
 * were left out goes into the trace: the first of them records the event `waymark:left_out` in the
 * thread's open packet, and the others count in that record. So the count is exact at every moment,
 * a kill included, and located: it is of the time from that record to the end of its packet. Text
 * backends print it before the next call that passes, and at the end of the process.
 */
#ifndef RT_SITE_LIMIT_H
#define RT_SITE_LIMIT_H

#include "rt/event/decision.h"
#include "rt/record/cursor.h"

/*
 * Returns true if the limits of the decision let the call pass; otherwise counts it for the
 * backends `on`. The thread, inside its slot `s`, which it did not interrupt there.
 */
bool waymark_limit_pass(
	struct slot *s, struct decision *d, struct field_call *call, unsigned int on);

/* Returns how many calls of the event were left out. Any thread. */
uint64_t waymark_limit_left_out(uint32_t id);

#endif
