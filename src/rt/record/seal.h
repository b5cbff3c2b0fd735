/* SPDX-License-Identifier: MIT */
/*
 * The seal: when the consumer ends the trace at the end of the process, no thread may begin a
 * packet any more. Threads that want one wait until the process is gone, or
 * the seal is lifted because a thread was in the middle of an event. So whether
 * more events come does not depend on the scheduler.
 *
 * The wait is bounded: exit() may wait for that thread after all. Then the seal
 * is broken for good.
 *
 *	thread: busy = 1; SEAL_SET? then busy = 0, and waits
 *	consumer: SEAL_SET; some time later: all written, no limit, no cursor busy?
 *
 * One of the two sees the other one's store. The thread that ends the process
 * cannot wait for that: its handlers and late destructors pass the seal, in the
 * same way:
 *
 *	thread: passed = 1; final? then it reports that this event may be lost
 *	consumer: final = 1; passed? then final = 0: the buffer stays
 */
#ifndef RT_RECORD_SEAL_H
#define RT_RECORD_SEAL_H

#include <stdbool.h>

#include "rt/record/cursor.h"
#include "rt/record/process.h"

/* The consumer, so the next two. False: it was broken. */
bool waymark_seal_set(struct recorder *r);
void waymark_seal_lift(struct recorder *r);
bool waymark_seal_holds(const struct recorder *r);

/* The consumer: waits for no event any more. False: a thread passed the seal. */
bool waymark_seal_finish(struct recorder *r);
bool waymark_seal_is_final(const struct recorder *r);

/*
 * The producer, in the slow path, with the cursor marked busy: waits while it
 * holds, but not the thread that ends the process.
 */
void waymark_seal_wait(struct process *p, struct recorder *r, struct cursor *c);

#endif
