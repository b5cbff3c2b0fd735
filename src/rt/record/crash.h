/* SPDX-License-Identifier: MIT */
/* The crash handlers, and how the recorder recognizes handlers of the program. */
#ifndef RT_RECORD_CRASH_H
#define RT_RECORD_CRASH_H

#include <stdbool.h>

/*
 * Installs handlers that bring events to their file when the program crashes, for signals
 * that nobody handles. Any signal handler.
 */
void waymark_crash_init(void);

/* Whether the caller may be a signal handler: a signal that has one is blocked. Any context. */
bool waymark_may_be_handler(void);

#endif
