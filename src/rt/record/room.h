/* SPDX-License-Identifier: MIT */
/*
 * Memory for events: the buffer of a recorder, and room in it where it is full, by
 * full=discard, overwrite or block. For the producer's slow path.
 */
#ifndef RT_RECORD_ROOM_H
#define RT_RECORD_ROOM_H

#include "rt/record/process.h"

/* The recorder's buffer, made now if there is none; NULL without memory. Any signal handler. */
struct buffer *waymark_buffer_get(struct process *p, struct recorder *r);

/* An event's search for room; all zero at its begin. */
struct room_wait {
	uint32_t turn; /* of r->room, when the buffer was found to be full */
	uint32_t since; /* of r->room, when a thread last made room */
	unsigned int tries; /* to free old events' room, failed since then */
	bool was_writing; /* a snapshot at the last try */
};

/*
 * Makes room in a buffer that is full, or waits a moment for others that do. True: try
 * again. The caller has nothing that others wait for. Any thread, any signal handler.
 */
bool waymark_make_room(struct process *p, struct recorder *r, struct room_wait *w);

#endif
