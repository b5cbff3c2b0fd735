/* SPDX-License-Identifier: MIT */
/*
 * Counters of what threads recorded and lost, read by any other thread while they go on.
 * An event costs one instruction for it: the cursor's 32-bit count. The slow path
 * keeps the rest, once a packet:
 *
 *	recorded    `counted`, 64 bits wide, is the count as of the last packet's begin: in
 *	            one packet it moves on by less than 2^32, so both together say all
 *	bytes       of the packets before are added up; those of the open one are the
 *	            distance of `pos` from its begin
 *
 * A slot has one owner after the other and its cursors count on: what they had when
 * an owner ended is noted, and the next one's are what came since. So no number goes
 * back, and nothing is in two of them.
 */
#ifndef RT_RECORD_TALLY_H
#define RT_RECORD_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/record/cursor.h"

/* Adds what all cursors of a slot have recorded and lost so far. Any thread. */
void waymark_tally_slot(struct slot *s, struct tally *sum);

/*
 * Adds the present owner's share of that to `own`, and that of former owners to `ended`. Returns
 * the owner's id; 0 where it is not known, and all is in `ended`. Any thread.
 */
uint32_t waymark_tally_owner(struct slot *s, struct tally *own, struct tally *ended);

/* An owner has ended and records nothing more; before the slot is another's. */
void waymark_tally_leave(struct slot *s);

/*
 * Around a change of the cursor's packet, with it marked busy: what the one before
 * holds is added up, and the new one's place may be stored. Its thread.
 */
void waymark_tally_begin(struct cursor *c);
void waymark_tally_end(struct cursor *c);

/* A thread has left the cursor in any state: it has no packet from now on. The consumer. */
void waymark_tally_renew(struct cursor *c);

#endif
