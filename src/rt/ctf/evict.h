/* SPDX-License-Identifier: MIT */
/*
 * Which packets full=overwrite gives up: the oldest closed ones; and open ones,
 * where their threads have recorded nothing for so long that even their last
 * event is older, or where nothing else is left. Under the drain lock.
 */
#ifndef RT_CTF_EVICT_H
#define RT_CTF_EVICT_H

#include "rt/ctf/cursor.h"

/* Keeps an eighth of the memory free, so that threads need not look for some themselves. */
void waymark_ctf_keep_room(struct ctf_round *round);

/* See struct consumer. May sleep for CLOSE_SETTLE_NS, where all packets are open. */
bool waymark_ctf_evict(struct recorder *r);

#endif
