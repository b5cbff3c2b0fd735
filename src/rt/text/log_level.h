/* SPDX-License-Identifier: MIT */
/* The log's threshold, WAYMARK_LOG_LEVEL. All events are of one level, the last. */
#ifndef RT_TEXT_LOG_LEVEL_H
#define RT_TEXT_LOG_LEVEL_H

#include <stdbool.h>

/* The level of events, as lines show it. */
#define LOG_LEVEL_OF_EVENTS "TRACE"

/* What waymark_log_level_set() takes, for messages. */
#define LOG_LEVELS "error, warn, info, debug, trace"

/* Sets the threshold by its name, in any case. False: there is none of that name. At start. */
bool waymark_log_level_set(const char *name);

/* Whether the threshold lets events pass: without one it does. Any signal handler. */
bool waymark_log_level_shows_events(void);

#endif
