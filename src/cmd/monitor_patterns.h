/* SPDX-License-Identifier: MIT */
/* The patterns of a command line, for a monitor: as many as are given are one. */
#ifndef CMD_MONITOR_PATTERNS_H
#define CMD_MONITOR_PATTERNS_H

#include <stdbool.h>

#include "cmd/monitor_client.h"

/*
 * One pattern that means all of the `count` words, `*` for none; each meets an event that
 * the program can switch, or any event. NULL, and why in the client's error: one does
 * not, or what was meant by it. The caller frees it.
 */
char *monitor_patterns(struct monitor_client *c, char *const *words, int count, bool is_to_switch);

/* What no pattern can be; NULL: they can be sent. */
const char *monitor_patterns_bad(char *const *words, int count);

#endif
