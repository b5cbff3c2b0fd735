/* SPDX-License-Identifier: MIT */
/*
 * WAYMARK_TRACE: options that take effect before main(), without the program's help;
 * WAYMARK_LOG_LEVEL: the log's threshold. Ignored in set-uid programs. An invalid one is reported
 * and otherwise ignored.
 */
#ifndef RT_CONTROL_ENVIRONMENT_H
#define RT_CONTROL_ENVIRONMENT_H

#include <stdbool.h>

#include "rt/control/option.h"

/* Reads the variables, at the first call only. Call before the first object is registered. */
void waymark_environment_load(void);

/*
 * Call after an object was registered. While the program starts, `file=` moves to the best backend
 * that is loaded by now; the main program's object, which is the last, ends that. Called by
 * constructors, one at a time.
 */
void waymark_environment_follow(bool is_program);

/*
 * ---- file= of WAYMARK_TRACE (startup_file.c) ----
 *
 * While the program starts, libraries register events with more backends, so the file moves to the
 * best backend that is loaded so far. For constructors, one at a time, unless a function says
 * otherwise.
 */

/* Moves `file` out of an option; a later option overrides the file of an earlier one. */
void waymark_startup_file_keep(struct waymark_config *c);

/* Gives the file to the first sink of the backends that are loaded now. */
void waymark_startup_file_place(void);

/* Returns the file if no sink has it; otherwise NULL. The caller frees it. */
char *waymark_startup_file_waiting(void);

/* Drops the file, because a later option or call names one. Any thread. */
void waymark_startup_file_forget(void);

#endif
