/* SPDX-License-Identifier: MIT */
/*
 * Protects the program while one of its threads writes to our file: blocks every signal, removes
 * pending ones that the write itself raised (SIGPIPE, SIGXFSZ), which would kill a program that
 * does not expect them, and disables cancellation, which a signal mask cannot do. Keeps errno. Any
 * thread, any signal handler.
 */
#ifndef RT_HOST_GUARD_H
#define RT_HOST_GUARD_H

#include <signal.h>
#include <stdbool.h>

/* The cancellation state and type of a thread. */
struct cancel {
	int state;
	int type;
};

struct guard {
	sigset_t former;
	sigset_t pending; /* pending at the beginning: to be kept */
	struct cancel cancel;
	int error;
};

/* Disable cancellation, and restore the former state. Calls may be nested. Keep errno. */
void waymark_cancel_off(struct cancel *c);
void waymark_cancel_back(const struct cancel *c);

void waymark_guard_begin(struct guard *g);
void waymark_guard_end(const struct guard *g);

/*
 * Removes one pending signal of the set; returns false if there is none. No cancellation point,
 * unlike sigtimedwait().
 */
bool waymark_take_signal(const sigset_t *set);

#endif
