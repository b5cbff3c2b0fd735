/* SPDX-License-Identifier: MIT */
/*
 * The `name` of a command: a name or pattern in the dialect's way of writing it, and
 * what it meets. With a `vcpu` that is only events that are of one vCPU, with their
 * states for that one.
 */
#ifndef MON_PATTERN_H
#define MON_PATTERN_H

#include <stdbool.h>

#include <waymark/control.h>

#include "mon/session/command.h"

struct pattern {
	char *text; /* as waymark/control.h takes it */
	bool is_name; /* it can mean one event only */
	struct waymark_event_list list; /* the events that match */
	bool has_vcpu;
	unsigned int vcpu; /* an index */
};

/*
 * That of the call's `name` and `vcpu`; all events where it has none. False:
 * the call has failed.
 */
bool pattern_open(struct pattern *p, struct call *call);

/* The same for another text and all vCPUs; takes the text over. NULL: no memory. */
bool pattern_read(struct pattern *p, struct call *call, char *text);

void pattern_close(struct pattern *p);

/* Fails the call if no event matches; whether it did. */
bool pattern_fail_unmet(const struct pattern *p, struct call *call);

/* Whether the call's dialect writes all patterns as regular expressions. */
bool pattern_is_regex(const struct call *call);

#endif
