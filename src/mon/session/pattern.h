/* SPDX-License-Identifier: MIT */
/*
 * The `name` of a command: a name or a pattern in the dialect's syntax, and the events that
 * it matches. With `vcpu`, only events of single vCPUs, with their states for that one.
 */
#ifndef MON_PATTERN_H
#define MON_PATTERN_H

#include <stdbool.h>

#include <waymark/control.h>

#include "mon/session/command.h"

struct pattern {
	char *text; /* as waymark/control.h takes it */
	bool is_name; /* it can match only one event */
	struct waymark_event_list list; /* the events that match */
	bool has_vcpu;
	unsigned int vcpu; /* an index */
};

/* Reads the call's `name` and `vcpu`; without a name, all events. False: the call failed. */
bool pattern_open(struct pattern *p, struct call *call);

/* The same for a text, which it takes over, and all vCPUs. A text of NULL: no memory. */
bool pattern_read(struct pattern *p, struct call *call, char *text);

void pattern_close(struct pattern *p);

/* Fails the call if no event matches; returns whether it did. */
bool pattern_fail_unmet(const struct pattern *p, struct call *call);

/* True if all patterns of the call's dialect are regular expressions. */
bool pattern_is_regex(const struct call *call);

#endif
