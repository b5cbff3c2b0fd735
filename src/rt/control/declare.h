/* SPDX-License-Identifier: MIT */
/*
 * Steps before events are switched on.
 *
 * The native trace declares an event before its first record, even if the process is killed in
 * between. A trace that has not begun needs nothing: it begins with all declarations.
 *
 * hitrace loads its library, which takes the locks of the dynamic linker. A program that called
 * waymark_init() without a jail is warned of seccomp filters that kill.
 *
 * Call without the control lock.
 */
#ifndef RT_CONTROL_DECLARE_H
#define RT_CONTROL_DECLARE_H

#include <stdint.h>

#include "rt/event/rule.h"

void waymark_declare_rules(struct waymark_rules *rules);
void waymark_declare_object(struct waymark_object *object);
/* For events that have their ids, and will be on for those backends. */
void waymark_declare_identified(unsigned int backends);
void waymark_declare_event(struct waymark_event *event, unsigned int backends);

/*
 * jail=: the number of processes that record in the jail of waymark_init(); 0: jail=off, no
 * filter of system calls kills.
 */
void waymark_jail_want(uint32_t count);

/* waymark_init() takes the number; 0: no jail is wanted. */
uint32_t waymark_jail_take_wish(void);

/*
 * waymark_init() has made no jail. Unless jail=off, warns once, when an event is on for a backend
 * that opens files: its first event makes system calls that a filter may answer by a kill. `on`
 * are the backends that events are on for now.
 */
void waymark_jail_is_missing(unsigned int on);

#endif
