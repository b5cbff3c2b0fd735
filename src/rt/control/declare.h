/* SPDX-License-Identifier: MIT */
/*
 * Steps before events are switched on.
 *
 * The native trace declares an event before its first record, even if the process is killed in
 * between. A trace that has not begun needs no step: it begins with all declarations.
 *
 * Actions of triggers have a thread. hitrace loads its library, which takes the locks of the
 * dynamic linker. A program that called waymark_init() without a jail is warned about seccomp
 * filters that kill.
 *
 * Call without the control lock.
 */
#ifndef RT_CONTROL_DECLARE_H
#define RT_CONTROL_DECLARE_H

#include <stdint.h>

#include "rt/event/rule.h"

void waymark_declare_rules(struct waymark_rules *rules);
void waymark_declare_object(struct waymark_object *object);
/* Does the steps for events that have their ids and will be on for those backends. */
void waymark_declare_identified(unsigned int backends);
void waymark_declare_event(struct waymark_event *event, unsigned int backends);

/*
 * Sets jail=: the number of processes that record in the jail of waymark_init(). 0 means jail=off:
 * the user knows that no filter of system calls kills.
 */
void waymark_jail_want(uint32_t count);

/* Returns the number for waymark_init(); 0 if no jail is wanted. */
uint32_t waymark_jail_take_wish(void);

/*
 * Notes that waymark_init() has made no jail. Unless jail=off, warns once an event is on for a
 * backend that opens files, because its first event makes system calls for which a filter may kill
 * the process. `on` are the backends that events are on for now.
 */
void waymark_jail_is_missing(unsigned int on);

#endif
