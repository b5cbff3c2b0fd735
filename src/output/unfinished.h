/* SPDX-License-Identifier: MIT */
/*
 * Removes the unfinished output of a command that SIGHUP, SIGINT or SIGTERM ends. The process still
 * ends by the signal. A signal that is ignored, or that has a handler already, is left alone. For
 * output/output.c; one output at a time.
 */
#ifndef OUTPUT_UNFINISHED_H
#define OUTPUT_UNFINISHED_H

#include <signal.h>

#include "output/output.h"

/* Holds the signals back while the output gets or loses its temporary name. */
void unfinished_hold(sigset_t *before);
void unfinished_release(const sigset_t *before);

/* Notes the output with `o->temporary` and `o->fd`. Call with the signals held. */
void unfinished_note(const struct output *o);

/* Forgets it: its temporary name is gone. Call with the signals held. */
void unfinished_forget(const struct output *o);

#endif
