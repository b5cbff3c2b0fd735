/* SPDX-License-Identifier: MIT */
/*
 * What comes before events are switched on.
 *
 * An event's declaration stands in the native trace before its first record,
 * even if the process is killed in between. Nothing to do before the trace has begun,
 * because it begins with all declarations there are.
 *
 * The library that hitrace needs is loaded, which takes the locks of the dynamic linker.
 */
#ifndef RT_CONTROL_DECLARE_H
#define RT_CONTROL_DECLARE_H

#include "rt/event/rule.h"

void waymark_declare_rules(struct waymark_rules *rules);
void waymark_declare_object(struct waymark_object *object);
/* What has got its id already, and is about to be on for those backends. */
void waymark_declare_identified(unsigned int backends);
void waymark_declare_event(struct waymark_event *event, unsigned int backends);

#endif
