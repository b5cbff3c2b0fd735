/* SPDX-License-Identifier: MIT */
/*
 * The log: log.c makes an event a line, log_prefix.c its beginning, log_file.c writes it. Lines go
 * to standard error or, in its place, to the program's own log (waymark/host.h); or are appended
 * to a file. Any thread and any signal handler may write a line while a control call changes the
 * file; neither waits for the other.
 */
#ifndef RT_TEXT_LOG_H
#define RT_TEXT_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* The level of events, as lines show it. All have this one, the last. */
#define LOG_LEVEL_OF_EVENTS "TRACE"

/* The names that waymark_log_level_set() takes, for messages. */
#define LOG_LEVELS "error, warn, info, debug, trace"

/*
 * Sets the threshold of WAYMARK_LOG_LEVEL by its name, in any case: events are shown at the last
 * one only, and without a threshold. False: no such level. At start.
 */
bool waymark_log_level_set(const char *name);

/* False while the log is switched off: then no line need be made. Any thread. */
bool waymark_log_is_on(void);

/* The descriptor that lines go to now. Any thread. */
int waymark_log_descriptor(void);

/* Writes one line with its newline. Counts it where it is lost. May change errno. */
void waymark_log_write(const char *line, size_t len);

#endif
