/* SPDX-License-Identifier: MIT */
/*
 * All monitors of the process: their threads, and what happens to them at a fork and at the exit of
 * the process. The list has a lock, which must be taken before any monitor's.
 */
#ifndef MON_MONITORS_H
#define MON_MONITORS_H

#include <stdbool.h>

#include <waymark/monitor.h>

/*
 * Opens a monitor and its address. Takes a default address from monitors that yield, which end.
 * Call without any monitor's lock. Returns 0, or -1 with the error.
 */
int monitors_open(struct waymark_monitor *m, struct waymark_error *error);

void monitors_add(struct waymark_monitor *m);

/*
 * Removes a monitor from the list. Returns whether the caller may free it: not if the process
 * exits, or if the monitor belongs to another process.
 */
bool monitors_remove(struct waymark_monitor *m);

/* Lets threads that fork take a monitor's lock first. Call before locking it. */
void monitors_yield_to_forks(void);

/* Starts a monitor's threads and waits until it is open. Returns 0, or -1 with the error. */
int monitors_start(struct waymark_monitor *m, struct waymark_error *error);

#endif
