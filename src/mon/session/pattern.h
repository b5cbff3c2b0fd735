/* SPDX-License-Identifier: MIT */
/*
 * The `name` of a command: a name or a pattern in the dialect's syntax, and the events that it
 * matches. With `vcpu`, only events of single vCPUs, with their states for that vCPU.
 */
#ifndef MON_PATTERN_H
#define MON_PATTERN_H

#include <stdbool.h>

#include <waymark/control.h>

#include "mon/session/command.h"

struct pattern {
	char *text; /* pattern for waymark/control.h */
	bool is_name; /* can match only one event */
	struct waymark_event_list list; /* matching events */
	bool has_vcpu;
	unsigned int vcpu; /* an index */
};

/*
 * Reads the call's `name` and `vcpu`. Without a name, all events match. Returns false after failing
 * the call.
 */
bool pattern_open(struct pattern *p, struct call *call);

/*
 * Reads a text, of which it takes ownership, for all vCPUs. NULL means that there was no memory for
 * it.
 */
bool pattern_read(struct pattern *p, struct call *call, char *text);

void pattern_close(struct pattern *p);

/* Fails the call if no event matches; returns whether it failed. */
bool pattern_fail_unmet(const struct pattern *p, struct call *call);

/* True if all patterns of the call's dialect are regular expressions. */
bool pattern_is_regex(const struct call *call);

#endif
