/* SPDX-License-Identifier: MIT */
/*
 * Where log lines go: standard error or, in its place, the program's own log
 * (waymark/host.h); or a file that is appended to. Lines are written by any
 * thread and any signal handler while a control call changes the file; neither
 * waits for the other.
 */
#ifndef RT_TEXT_LOG_FILE_H
#define RT_TEXT_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False while the log is switched off: then a line need not be made. */
bool waymark_log_is_on(void);

/* Where lines go now. Any thread. */
int waymark_log_descriptor(void);

/* Writes one line, newline included. What cannot be written is counted. May change errno. */
void waymark_log_write(const char *line, size_t len);

#endif
