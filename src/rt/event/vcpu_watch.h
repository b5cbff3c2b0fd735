/* SPDX-License-Identifier: MIT */
/* Changes to events of translated code, for whoever watches them. */
#ifndef RT_EVENT_VCPU_WATCH_H
#define RT_EVENT_VCPU_WATCH_H

#include <waymark/record.h>

/*
 * Notes that the event went on or off for `cpu`, NULL: for any; waymark_vcpu_unlock() tells of
 * it, where it is an event of translated code. Under the control lock.
 */
void waymark_vcpu_note(const struct waymark_event *event, void *cpu);

#endif
