/* SPDX-License-Identifier: MIT */
/*
 * Writing to a file in a thread of the program: blocks every signal meanwhile,
 * and takes back those that the writing itself has raised (SIGPIPE, SIGXFSZ),
 * which would kill a program that does not expect them. Nor is the thread
 * cancelled meanwhile, which no mask of signals prevents. errno stays. Any context.
 */
#ifndef RT_HOST_GUARD_H
#define RT_HOST_GUARD_H

#include <signal.h>
#include <stdbool.h>

/* How a thread may be cancelled. */
struct cancel {
	int state;
	int type;
};

struct guard {
	sigset_t former;
	sigset_t pending; /* before: those are not ours to take back */
	struct cancel cancel;
	int error;
};

/* No cancelling in between; these nest. errno stays. */
void waymark_cancel_off(struct cancel *c);
void waymark_cancel_back(const struct cancel *c);

void waymark_guard_begin(struct guard *g);
void waymark_guard_end(const struct guard *g);

/* Takes a pending signal of the set, if there is one. Unlike sigtimedwait() no point of
 * cancellation.
 */
bool waymark_take_signal(const sigset_t *set);

#endif
