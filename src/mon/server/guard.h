/* SPDX-License-Identifier: MIT */
/*
 * Work for the monitor in a thread of the program: no signal meanwhile, so that no
 * handler finds the monitor in the middle of it; those that writing has raised are
 * taken back; and no cancelling. errno stays.
 */
#ifndef MON_GUARD_H
#define MON_GUARD_H

#include <signal.h>

struct guard {
	sigset_t former;
	sigset_t pending; /* before: those are not ours to take back */
	int cancel;
	int error;
};

void guard_begin(struct guard *g);
void guard_end(const struct guard *g);

#endif
