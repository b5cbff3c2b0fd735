/* SPDX-License-Identifier: MIT */
/* The patterns of a command line, for a monitor: as many as are given are one. */
#ifndef CMD_CTL_MONITOR_PATTERNS_H
#define CMD_CTL_MONITOR_PATTERNS_H

#include <stdbool.h>

#include "cmd/ctl/monitor_client.h"

/* What a pattern has to meet. */
struct monitor_wish {
	bool is_to_switch; /* an event that the program can switch, else any event */
	bool is_of_vcpu; /* one of that vCPU */
	long vcpu;
};

/*
 * One pattern that means all of the `count` words, `*` for none; each meets an event as it is
 * wished. NULL, and why in the client's error: one does not, or what was meant by it.
 * The caller frees it.
 */
char *monitor_patterns(
	struct monitor_client *c, char *const *words, int count, struct monitor_wish wish);

/* Adds the vCPU to a command's arguments, and returns these; NULL stays NULL. */
json_t *monitor_wish_add(json_t *arguments, struct monitor_wish wish);

/* What no pattern can be; NULL: they can be sent. */
const char *monitor_patterns_bad(char *const *words, int count);

#endif
