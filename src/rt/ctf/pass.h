/* SPDX-License-Identifier: MIT */
/*
 * Steps of the consumer's pass beside packets.h: the begin and the end of a trace, and its
 * change for another one (end.c); and which packets full=overwrite gives up (evict.c): the oldest
 * closed ones; and open ones, where their threads have recorded nothing for so long that even
 * their last event is older, or where nothing else is left. Under the drain lock.
 */
#ifndef RT_CTF_PASS_H
#define RT_CTF_PASS_H

#include "rt/ctf/packets.h"

/*
 * Obeys what control calls have changed meanwhile: another name, on or off. At the end a trace
 * whose directory was removed begins again, for the events left in memory.
 */
void waymark_ctf_sync(struct ctf_round *round, enum drain_mode mode);

/* The snapshot is written, or cannot be: the usual trace has the buffer again. */
void waymark_ctf_snapshot_end(struct ctf_round *round, enum drain_mode mode);

/*
 * The process ends: the last losses are reported, the files are closed, and the
 * buffer's file goes if nothing is left in it. Events that come even later are
 * written by later passes.
 */
void waymark_ctf_end(struct process *p, struct ctf_round *round);

/* See struct consumer. */
void waymark_ctf_consumer_begin(void *state, struct buffer_place *place);
void waymark_ctf_consumer_begun(struct buffer *b);
void waymark_ctf_consumer_abandon(void *state);

/* Keeps an eighth of the memory free, so that threads need not look for some themselves. */
void waymark_ctf_keep_room(struct ctf_round *round);

/* See struct consumer. May sleep for CLOSE_SETTLE_NS, where all packets are open. */
bool waymark_ctf_evict(struct recorder *r);

#endif
