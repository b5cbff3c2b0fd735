/* SPDX-License-Identifier: MIT */
/*
 * waymark/state.h - the state of an event, for computing costly arguments only while
 * somebody wants them. The header of the event's group includes this file. The names
 * are QEMU's.
 *
 * `id` is TRACE_<NAME>. An event that is declared `disable`, or generated for nop
 * only, is 0 at compile time. Any thread and any signal handler may ask. Defines
 * macros only: nothing is linked.
 */
#ifndef WAYMARK_STATE_H
#define WAYMARK_STATE_H

/* Whether anything of this process is on for the event. */
#define trace_event_get_state(id) ((id##_ENABLED) && id##_BACKENDS() != 0)

/* The same, external tracers (bpftrace, perf, SystemTap) counted in. */
#define trace_event_get_state_backends(id) ((id##_ENABLED) && id##_STATE() != 0)

/* The same as trace_event_get_state(). */
#define trace_event_get_state_dynamic_by_id(id) ((id##_ENABLED) && id##_BACKENDS() != 0)

#endif
