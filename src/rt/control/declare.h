/* SPDX-License-Identifier: MIT */
/*
 * An event's declaration stands in the native trace before its first record,
 * even if the process is killed in between: events that are about to be switched
 * on are declared first. Nothing to do before the trace has begun, because it
 * begins with all declarations there are.
 */
#ifndef RT_CONTROL_DECLARE_H
#define RT_CONTROL_DECLARE_H

#include "rt/event/rule.h"

void waymark_declare_rules(struct waymark_rules *rules);
void waymark_declare_object(struct waymark_object *object);
/* What has got its id already. */
void waymark_declare_identified(void);
void waymark_declare_event(struct waymark_event *event);

#endif
