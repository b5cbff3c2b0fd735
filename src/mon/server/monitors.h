/* SPDX-License-Identifier: MIT */
/*
 * All monitors of the process: their threads, and what a fork and the exit of the process
 * do with them. The list has a lock, which is taken before any monitor's.
 */
#ifndef MON_MONITORS_H
#define MON_MONITORS_H

#include <stdbool.h>

#include <waymark/monitor.h>

/*
 * Opens a monitor and its address. A default address is taken from the monitors that yield;
 * these end. No monitor's lock is held. Returns 0, or -1 with the error.
 */
int monitors_open(struct waymark_monitor *m, struct waymark_error *error);

void monitors_add(struct waymark_monitor *m);

/* Returns whether the caller may free it; else the process exits, or the monitor is another's. */
bool monitors_remove(struct waymark_monitor *m);

/* Lets threads that fork take a monitor's lock first. Call before taking it. */
void monitors_yield_to_forks(void);

/* Starts a monitor's threads and waits until it is open. Returns 0, or -1 with the error. */
int monitors_start(struct waymark_monitor *m, struct waymark_error *error);

#endif
