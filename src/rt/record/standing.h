/* SPDX-License-Identifier: MIT */
/*
 * Standing packets: packets of backend `ctf` that stay open until the trace ends, for records whose
 * numbers grow all the time, such as those of aggregations. A kill keeps them as it keeps events:
 * readers find them in the buffer. No thread owns one, each is a stream of its own, and neither
 * full=overwrite nor a flush takes it; the end of the trace writes it.
 */
#ifndef RT_RECORD_STANDING_H
#define RT_RECORD_STANDING_H

#include <waymark/record.h>

#include "format/packet.h"
#include "rt/record/process.h"

/*
 * Begins a record whose arguments take at most `size` bytes. Returns false if there is no memory.
 * Any thread, any signal handler; never waits for another one, which is in another packet.
 */
bool waymark_standing_begin(
	struct waymark_record *r, const struct waymark_event *event, size_t size);

/* Ends the record. From now on readers see it, and the caller may change its numbers. */
static inline void waymark_standing_end(struct waymark_record *r)
{
	waymark_record_end(r);
}

/*
 * Returns the next standing packet, from *index on, and moves *index past it; NULL at the end.
 * Start with 0. The consumer, when no thread begins records any more.
 */
struct packet_header *waymark_standing_next(const struct process *p, uint32_t *index);

#endif
