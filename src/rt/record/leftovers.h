/* SPDX-License-Identifier: MIT */
/*
 * What killed processes of this user left in memory. A process that begins to record looks
 * after it: gives back what holds no packet, and moves the oldest beyond a budget into their
 * traces. docs/why/020-leftovers.md gives the reasons.
 */
#ifndef RT_RECORD_LEFTOVERS_H
#define RT_RECORD_LEFTOVERS_H

#include <stdbool.h>

struct process;

/*
 * Whether they take so much more than the budget that a new buffer should lie in its trace:
 * processes are killed before they have moved anything. Any thread, any signal handler.
 */
bool waymark_leftovers_are_too_many(void);

/*
 * Starts a thread for it, where there is anything of another process. The writer, once,
 * with descriptors of its own, which the thread shares.
 */
void waymark_leftovers_begin(struct process *p);

#endif
