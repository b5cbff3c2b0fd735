/* SPDX-License-Identifier: MIT */
/* Lists of events that need more than a pattern: list.c, for named.c. */
#ifndef RT_CONTROL_LIST_H
#define RT_CONTROL_LIST_H

#include <waymark/control.h>

#include "rt/event/rule.h"

/*
 * Does what waymark_list_events() does for the events that match the rule and that its terms fit.
 * Takes the control lock.
 */
int waymark_list_fitting(const struct waymark_rule *rule, struct waymark_event_list *events,
	struct waymark_error *error);

#endif
