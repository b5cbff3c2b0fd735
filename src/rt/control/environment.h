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

/* Reads them, at the first call only: before the first object is registered. */
void waymark_environment_load(void);

/*
 * An object was registered. While the program starts, `file=` follows to the
 * best backend that is there by now; the main program's own object, the last of
 * them, ends that. Called by constructors, one at a time.
 */
void waymark_environment_follow(bool is_program);

/*
 * ---- file= of WAYMARK_TRACE (startup_file.c) ----
 *
 * While the program starts, libraries bring events with more backends, so the file moves to the
 * best backend that is loaded so far. For constructors, one at a time, unless a function says
 * otherwise.
 */

/* Takes `file` out of an option; a later option overrides the file of an earlier one. */
void waymark_startup_file_keep(struct waymark_config *c);

/* Gives the file to the first sink of the backends that are loaded now. */
void waymark_startup_file_place(void);

/* The file, if no sink has taken it; else NULL. The caller frees it. */
char *waymark_startup_file_waiting(void);

/* A later option or call names the file: this one no longer counts. From any thread. */
void waymark_startup_file_forget(void);

#endif
