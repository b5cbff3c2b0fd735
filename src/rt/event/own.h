/* SPDX-License-Identifier: MIT */
/*
 * The runtime's own events: what it reports inside of a trace. They are recorded as the program's
 * are, so that every reader of the trace has them. No object has them, so that no pattern switches
 * them; waymark-ctf(5) describes each.
 */
#ifndef RT_EVENT_OWN_H
#define RT_EVENT_OWN_H

#include <waymark/descriptor.h>

/* `waymark:left_out`: (count: u64, event: String, limits: String) */
extern struct waymark_event waymark_own_left_out;

/* `waymark:trigger`: (event: String, trigger: String) */
extern struct waymark_event waymark_own_trigger;

/* `waymark:mark`: (text: String) */
extern struct waymark_event waymark_own_mark;

/*
 * `waymark:aggregate`, and `waymark:aggregate_float` with a fraction as the value: (event,
 * function, terms, key: String, bucket: i64, value, map: u32, snapshot: u32)
 */
extern struct waymark_event waymark_own_aggregate;
extern struct waymark_event waymark_own_aggregate_float;

/* Gives them ids. Returns false if memory or ids ran out. Under the control lock. */
bool waymark_own_prepare(void);

#endif
