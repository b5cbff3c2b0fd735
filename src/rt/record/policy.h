/* SPDX-License-Identifier: MIT */
/* The policy for an event that finds no memory: full=discard, overwrite or block. */
#ifndef RT_RECORD_POLICY_H
#define RT_RECORD_POLICY_H

#include "rt/record/process.h"

/* An event's search for room; all zero at its begin. */
struct room_wait {
	uint32_t turn; /* of r->room, when the buffer was found to be full */
	uint32_t since; /* when anybody was seen to make room */
	unsigned int tries; /* to free old events' room, failed since then */
	bool was_writing; /* a snapshot at the last try */
};

/*
 * Makes room in a buffer that is full, or waits a moment for others that do. True: try
 * again. The caller has nothing that others wait for. Any thread, any signal handler.
 */
bool waymark_make_room(struct process *p, struct recorder *r, struct room_wait *w);

#endif
