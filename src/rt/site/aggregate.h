/* SPDX-License-Identifier: MIT */
/*
 * Adds calls up, see rt/event/aggregation.h. Each thread has a map of its own for each aggregation,
 * and for each depth of signal handlers that interrupt each other there, so adding up takes no lock
 * and no atomic operation. The values are records of `waymark:aggregate` in standing packets
 * (rt/record/standing.h), so that a kill keeps them, and any reader of the trace finds them.
 *
 *	key, function, bucket ──► cell of the map ──► value in the record
 *
 * A map has a fixed size. Calls whose key has no room are added up under the key `other`.
 */
#ifndef RT_SITE_AGGREGATE_H
#define RT_SITE_AGGREGATE_H

#include "rt/event/trigger.h"
#include "rt/record/cursor.h"

/*
 * Adds the call up. The thread, inside its slot, which it entered at `turn`; in a signal handler
 * that interrupted it there, the turn is odd.
 */
void waymark_aggregate(
	struct slot *s, const struct watch *w, struct field_call *call, uint32_t turn);

/*
 * Records the values that have changed since the last time, so that the trace shows how they grow.
 * A thread of the library, or of the program in a control call.
 */
void waymark_aggregates_record(void);

/* Returns how many calls the aggregation of that index has added up. Any thread. */
uint64_t waymark_aggregate_calls(unsigned int index);

#endif
