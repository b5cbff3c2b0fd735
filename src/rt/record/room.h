/* SPDX-License-Identifier: MIT */
/*
 * Memory for events: makes the buffer of a recorder, and room in a full one, as full=discard,
 * overwrite or block says. For the producer's slow path.
 */
#ifndef RT_RECORD_ROOM_H
#define RT_RECORD_ROOM_H

#include "rt/record/process.h"

/*
 * Returns the recorder's buffer, made now if there is none; NULL if there is no memory. Any signal
 * handler.
 */
struct buffer *waymark_buffer_get(struct process *p, struct recorder *r);

/*
 * Returns true if the writer must be woken before its tick is over: much of the recorder's memory
 * is in use, or threads have used up what was made ready. Any thread, any signal handler.
 */
bool waymark_is_filling(struct process *p, struct recorder *r);

/* The state of an event's search for room; all zero at first. */
struct room_wait {
	uint32_t turn; /* value of r->room when the buffer was found to be full */
	uint32_t since; /* value of r->room when a thread last made room */
	unsigned int tries; /* failed tries to evict old events since then */
	bool was_writing; /* at the last try a snapshot was being written */
	bool was_idle; /* nothing was in use when the thread last waited, see wait_for_room() */
};

/*
 * Makes room in a full buffer, or waits a moment for others that do. Returns true if the caller
 * should try again. The caller must hold nothing for which others wait. Any thread, any signal
 * handler.
 */
bool waymark_make_room(struct process *p, struct recorder *r, struct room_wait *w);

#endif
