/* SPDX-License-Identifier: MIT */
/*
 * A monitor with threads of its own. One talks to the clients, with a table of
 * descriptors of its own, and drives the monitor; the other one carries out what
 * they ask for (worker.h). Both live until the process ends, or the monitor does.
 */
#ifndef MON_THREAD_H
#define MON_THREAD_H

#include <waymark/monitor.h>

/* Starts them and waits until the place is open. Returns 0, or -1 with the error. */
int thread_start(struct waymark_monitor *m, struct waymark_error *error);

/* Starts them in the child of a fork. Returns 0, or -1. */
int thread_start_again(struct waymark_monitor *m);

#endif
