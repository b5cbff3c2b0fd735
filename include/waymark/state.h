/* SPDX-License-Identifier: MIT */
/*
 * waymark/state.h - the state of an event, under QEMU's names: tests whether an event is on before
 * computing costly arguments. The header of the event's group includes this file.
 *
 * `id` is TRACE_<NAME>. The state of an event that is declared `disable`, or generated only for
 * nop, is 0 at compile time. Any thread, any signal handler. Macros only: nothing is linked.
 */
#ifndef WAYMARK_STATE_H
#define WAYMARK_STATE_H

/* True if a backend of this process is on for the event. */
#define trace_event_get_state(id) ((id##_ENABLED) && id##_BACKENDS() != 0)

/* True if a backend or an external tracer (bpftrace, perf, SystemTap) is on for the event. */
#define trace_event_get_state_backends(id) ((id##_ENABLED) && id##_STATE() != 0)

/* The same as trace_event_get_state(). */
#define trace_event_get_state_dynamic_by_id(id) ((id##_ENABLED) && id##_BACKENDS() != 0)

#endif
