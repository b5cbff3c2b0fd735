/* SPDX-License-Identifier: MIT */
/*
 * The two halves of an event's state word. Our half changes under the control lock, by 16-bit
 * stores. The other half belongs to the kernel and is only read.
 */
#ifndef RT_EVENT_STATE_H
#define RT_EVENT_STATE_H

#include <waymark/record.h>

/*
 * Returns the backends of an event: those it was built with, except `simple` for a trace point of
 * waymark/scope.h, which lacks the declaration that readers of simpletrace files need.
 */
static inline unsigned int event_backends(const struct waymark_event *event)
{
	return event->backends &
	       ~(unsigned int)(event->flags & WAYMARK_EVENT_SITE ? WAYMARK_SIMPLE : 0);
}

/* The error for switching on such a trace point. */
#define EVENT_NOT_SIMPLE                                                                     \
	"'%s' stays off: a simpletrace file cannot record trace points of waymark/scope.h; " \
	"instead of simple use a backend like ctf, which WAYMARK_SCOPES must name"

/* Returns the backends that control can switch for the event. */
static inline unsigned int state_switchable(const struct waymark_event *event)
{
	return event_backends(event) & ~(unsigned int)WAYMARK_OUTSIDE_BACKENDS;
}

static inline waymark_half *state_backends(const struct waymark_event *event)
{
	return (waymark_half *)event->state;
}

static inline unsigned int state_get(const struct waymark_event *event)
{
	return __atomic_load_n(state_backends(event), __ATOMIC_ACQUIRE);
}

/* Release: pairs with WAYMARK_BACKENDS() of a call site, which then sees the id. */
static inline void state_set(const struct waymark_event *event, unsigned int backends)
{
	__atomic_store_n(state_backends(event), (uint16_t)backends, __ATOMIC_RELEASE);
}

/*
 * A load and a store, which the lock makes one step, because riscv64 has no atomic 16-bit
 * operation.
 */
static inline void state_raise(const struct waymark_event *event, unsigned int backends)
{
	state_set(event, state_get(event) | backends);
}

static inline void state_clear(const struct waymark_event *event, unsigned int backends)
{
	state_set(event, state_get(event) & ~backends);
}

static inline unsigned int state_watchers(const struct waymark_event *event)
{
	return __atomic_load_n(state_backends(event) + 1, __ATOMIC_RELAXED);
}

#endif
