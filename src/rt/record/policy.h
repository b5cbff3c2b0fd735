/* SPDX-License-Identifier: MIT */
/* What an event does that finds no memory: full=discard, overwrite or block. */
#ifndef RT_RECORD_POLICY_H
#define RT_RECORD_POLICY_H

#include "rt/record/process.h"

/*
 * Does something about an arena that was full at `turn` of r->room, or waits for
 * others who do. True: it is worth while to try again. Any thread, any signal handler.
 */
bool waymark_make_room(struct process *p, struct recorder *r, uint32_t turn);

#endif
