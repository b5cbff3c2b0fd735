/* SPDX-License-Identifier: MIT */
/* How a monitor is reached: its place is opened, and clients come in. In the turn. */
#ifndef MON_REACH_H
#define MON_REACH_H

#include <waymark/monitor.h>

/* Clients at a time, and more than that of root, where the process is not root's. */
#define REACH_CLIENTS_MAX 256
#define REACH_ROOTS_MORE 8

/* With all places taken, a client that is idle for this long is closed for a new one. */
#define REACH_IDLE_MS 1000

/* Opens the place. Returns 0, or -1 with the error. */
int reach_open(struct waymark_monitor *m, struct waymark_error *error);

/* In a fork's child: opens the place, or waits for the end of the process that has it. */
void reach_open_later(struct waymark_monitor *m);

/* Listens again after a pause. */
void reach_listen(struct waymark_monitor *m);

#endif
