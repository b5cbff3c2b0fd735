/* SPDX-License-Identifier: MIT */
/*
 * All monitors of the process: those that a fork and the end of the process must
 * find. Its lock is taken before any monitor's turn.
 */
#ifndef MON_MONITORS_H
#define MON_MONITORS_H

#include <stdbool.h>

struct waymark_monitor;

void monitors_add(struct waymark_monitor *m);

/* False: it is not, or no more, this caller's to free, because the process ends. */
bool monitors_remove(struct waymark_monitor *m);

/*
 * Ends the monitors that yield, and leaves their place free at once; not in the turn of any.
 * Before another one takes the default place.
 */
void monitors_end_yielding(void);

/* Lets threads that fork go first. Before a monitor's turn is taken. */
void monitors_let_pass(void);

#endif
