/* SPDX-License-Identifier: MIT */
/*
 * The log: log.c makes an event a line, log_prefix.c its beginning, log_file.c writes it. Lines go
 * to standard error, to the program's own log instead (waymark/host.h), or are appended to a file.
 * Any thread and any signal handler may write a line while a control call changes the file; neither
 * waits for the other.
 */
#ifndef RT_TEXT_LOG_H
#define RT_TEXT_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* The level of events in lines. All events have this level, which is the last. */
#define LOG_LEVEL_OF_EVENTS "TRACE"

/* The names that waymark_log_level_set() takes, for messages. */
#define LOG_LEVELS "error, warn, info, debug, trace"

/*
 * Sets the threshold of WAYMARK_LOG_LEVEL by its name, in upper or lower case. Events are shown
 * only at the last level, or if there is no threshold. Returns false if there is no such level.
 * Call at start.
 */
bool waymark_log_level_set(const char *name);

/* Returns false while the log is switched off: then no line need be made. Any thread. */
bool waymark_log_is_on(void);

/* Returns the descriptor to which lines go now. Any thread. */
int waymark_log_descriptor(void);

/* Writes one line with its newline. Counts it if it is lost. May change errno. */
void waymark_log_write(const char *line, size_t len);

#endif
