/* SPDX-License-Identifier: MIT */
/* What commands need that serve until a signal. */
#ifndef CMD_SERVE_H
#define CMD_SERVE_H

/*
 * Blocks the signals that end a command, and `more` if it is not 0, in this thread and those that
 * it starts. Returns a descriptor, of signalfd(2), that can be read when one has come.
 */
int serve_catch_signals(int more);

/* Lets this process have as many descriptors as it may: each trace that is followed needs some. */
void serve_raise_descriptors(void);

#endif
