/* SPDX-License-Identifier: MIT */
/*
 * The seal: when the consumer ends the trace at the end of the process, no thread may begin a
 * packet any more. Threads that need one wait until the process has ended, or until the seal is
 * lifted because a thread was in the middle of an event. So the scheduler does not decide whether
 * more events follow.
 *
 * The wait is bounded, because exit() may wait for that thread. Then the seal is broken for good.
 *
 *	thread: busy = 1; SEAL_SET? then busy = 0, and waits
 *	consumer: SEAL_SET; some time later: all written, no limit, no cursor busy?
 *
 * One of the two sees the store of the other. The thread that ends the process cannot wait, so its
 * signal handlers and late destructors pass the seal, in a similar way:
 *
 *	thread: passed = 1; final? then it reports that this event may be lost
 *	consumer: final = 1; passed? then final = 0: the buffer stays
 */
#ifndef RT_RECORD_SEAL_H
#define RT_RECORD_SEAL_H

#include <stdbool.h>

#include "rt/record/cursor.h"
#include "rt/record/process.h"

/* Sets the seal; returns false if it was broken. The consumer calls this and the next two. */
bool waymark_seal_set(struct recorder *r);
void waymark_seal_lift(struct recorder *r);
bool waymark_seal_holds(const struct recorder *r);

/* Stops waiting for events; returns false if a thread passed the seal. The consumer. */
bool waymark_seal_finish(struct recorder *r);
bool waymark_seal_is_final(const struct recorder *r);

/*
 * Waits while the seal holds, unless this is the thread that ends the process. The producer, in the
 * slow path, with the cursor marked busy.
 */
void waymark_seal_wait(struct process *p, struct recorder *r, struct cursor *c);

#endif
