/* SPDX-License-Identifier: MIT */
/*
 * Local time for log lines, which come from signal handlers too: what the zone has
 * in store for the next ten years is read when a prefix that shows it is chosen, once.
 */
#ifndef RT_TEXT_LOG_ZONE_H
#define RT_TEXT_LOG_ZONE_H

#include <stdint.h>

/* Reads the zone of the program (TZ), at the first call only. No signal handler. */
void waymark_log_zone_read(void);

/* Seconds that local time is ahead of UTC at that time, seconds since 1970. Any signal handler. */
int32_t waymark_log_zone_offset(int64_t time);

#endif
