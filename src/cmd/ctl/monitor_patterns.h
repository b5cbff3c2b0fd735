/* SPDX-License-Identifier: MIT */
/* Converts the patterns of a command line to a monitor's form: several become one expression. */
#ifndef CMD_CTL_MONITOR_PATTERNS_H
#define CMD_CTL_MONITOR_PATTERNS_H

#include <stdbool.h>

#include "cmd/ctl/monitor_client.h"

/* The events that a pattern may match. */
struct event_scope {
	bool is_to_switch; /* at least one matching event must be switchable */
	bool is_of_vcpu; /* only events of single vCPUs, namely of: */
	long vcpu;
};

/*
 * Merges `count` words into one pattern with their meaning; `*` if there are none. Each word must
 * match an event of the scope. Returns NULL with the reason, and a similar name, in the client's
 * error. The caller frees the result.
 */
char *monitor_patterns(
	struct monitor_client *c, char *const *words, int count, struct event_scope scope);

/* Adds the vCPU to a command's arguments, and returns them; NULL stays NULL. */
json_t *event_scope_add(json_t *arguments, struct event_scope scope);

/* Returns why a word cannot be a pattern; NULL if all words can. */
const char *monitor_patterns_bad(char *const *words, int count);

#endif
