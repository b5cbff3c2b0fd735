/* SPDX-License-Identifier: MIT */
/*
 * Steps of the consumer's pass that are not in packets.h: the beginning and the end of a trace, and
 * its change for another one (end.c), and the packets that full=overwrite evicts (evict.c). These
 * are the oldest closed packets, and open ones if their threads have recorded nothing for so long
 * that even their last event is older, or if nothing else is left. Under the drain lock.
 */
#ifndef RT_CTF_PASS_H
#define RT_CTF_PASS_H

#include "rt/ctf/packets.h"

/*
 * Applies what control calls have changed: another name, on or off. At the end, if the trace's
 * directory was removed, begins the trace again, for the events left in memory.
 */
void waymark_ctf_sync(struct ctf_round *round, enum drain_mode mode);

/* Call when the snapshot is written or has failed: gives the buffer back to the usual trace. */
void waymark_ctf_snapshot_end(struct ctf_round *round, enum drain_mode mode);

/*
 * Call at the end of the process: reports the last losses, closes the files, and removes the
 * buffer's file if nothing is left in it. Later passes write events that are recorded even later.
 */
void waymark_ctf_end(struct process *p, struct ctf_round *round);

/*
 * Takes the limits of all threads away and, unless only the caller's thread is left, waits for
 * CLOSE_SETTLE_NS. Returns true if everything is in the files then, and no thread has an event or
 * packet that it could continue.
 */
bool waymark_ctf_is_still(const struct process *p, struct ctf_round *round);

/* See struct consumer. */
void waymark_ctf_consumer_begin(void *state, struct buffer_place *place);
void waymark_ctf_consumer_begun(struct buffer *b);
void waymark_ctf_consumer_abandon(void *state);

/* Keeps an eighth of the memory free, so that threads need not make room themselves. */
void waymark_ctf_keep_room(struct ctf_round *round);

/* See struct consumer. May sleep for CLOSE_SETTLE_NS if all packets are open. */
bool waymark_ctf_evict(struct recorder *r);

#endif
