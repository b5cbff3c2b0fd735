/* SPDX-License-Identifier: MIT */
/* Patterns of a command line as a monitor takes them: several become one expression. */
#ifndef CMD_CTL_MONITOR_PATTERNS_H
#define CMD_CTL_MONITOR_PATTERNS_H

#include <stdbool.h>

#include "cmd/ctl/monitor_client.h"

/* The events that a pattern is about. */
struct event_scope {
	bool is_to_switch; /* the program must be able to switch one that matches */
	bool is_of_vcpu; /* only events of single vCPUs, and of this one: */
	long vcpu;
};

/*
 * One pattern with the meaning of all `count` words; `*` for none. Each word must match an
 * event of the scope. NULL with the reason, and a similar name, in the client's error.
 * The caller frees it.
 */
char *monitor_patterns(
	struct monitor_client *c, char *const *words, int count, struct event_scope scope);

/* Adds the vCPU to a command's arguments, and returns these; NULL stays NULL. */
json_t *event_scope_add(json_t *arguments, struct event_scope scope);

/* Why a word cannot be a pattern; NULL: all can. */
const char *monitor_patterns_bad(char *const *words, int count);

#endif
