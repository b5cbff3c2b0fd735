/* SPDX-License-Identifier: MIT */
/*
 * file= of WAYMARK_TRACE. While the program starts, libraries bring events with more backends, so
 * the file moves to the best backend that is loaded so far. For constructors, one at a time,
 * unless a function says otherwise.
 */
#ifndef RT_CONTROL_STARTUP_FILE_H
#define RT_CONTROL_STARTUP_FILE_H

#include "rt/control/option.h"

/* Takes `file` out of an option; a later option overrides the file of an earlier one. */
void waymark_startup_file_keep(struct waymark_config *c);

/* Gives the file to the first sink of the backends that are loaded now. */
void waymark_startup_file_place(void);

/* The file, if no sink has taken it; else NULL. The caller frees it. */
char *waymark_startup_file_waiting(void);

/* A later option or call names the file: this one no longer counts. From any thread. */
void waymark_startup_file_forget(void);

#endif
