/* SPDX-License-Identifier: MIT */
/*
 * The two halves of an event's state word. Our half changes under the control lock, by 16-bit
 * stores. The other half belongs to the kernel and is only read.
 */
#ifndef RT_EVENT_STATE_H
#define RT_EVENT_STATE_H

#include <waymark/record.h>

/* Number of 16-bit ids; no event gets 0. */
#define REGISTRY_IDS_MAX 65536u

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

/*
 * The backends that are on under a condition, by the event's id, relaxed: the state word orders
 * them.
 */
extern uint16_t waymark_conditional[REGISTRY_IDS_MAX];

/* Returns the backends of a state's mask that are on under the event's condition. */
static inline unsigned int state_conditional(const struct waymark_event *event, unsigned int mask)
{
	return mask & WAYMARK_CONDITIONAL
		       ? __atomic_load_n(&waymark_conditional[event->id], __ATOMIC_RELAXED)
		       : 0;
}

/* Returns the backends of a state's mask, with and without a condition. */
static inline unsigned int state_of_mask(const struct waymark_event *event, unsigned int mask)
{
	return (mask & ~WAYMARK_CONDITIONAL) | state_conditional(event, mask);
}

static inline unsigned int state_mask(const struct waymark_event *event)
{
	return __atomic_load_n(state_backends(event), __ATOMIC_ACQUIRE);
}

/* Returns the backends that are on. */
static inline unsigned int state_get(const struct waymark_event *event)
{
	return state_of_mask(event, state_mask(event));
}

/* Returns those that are on under the event's condition. */
static inline unsigned int state_get_conditional(const struct waymark_event *event)
{
	return state_conditional(event, state_mask(event));
}

/* A switch of an event: masks of backends. */
struct switching {
	unsigned int on;
	unsigned int conditional; /* those of `on` that the event's condition decides */
	unsigned int off;
};

/*
 * A load and a store, which the lock makes one step, because riscv64 has no atomic 16-bit
 * operation. Release: pairs with WAYMARK_BACKENDS() of a call site, which then sees the id and the
 * condition.
 */
static inline void state_switch(const struct waymark_event *event, const struct switching *s)
{
	unsigned int kept = ~(s->off | s->on);
	unsigned int before = state_mask(event);
	unsigned int mask = (before & kept & ~WAYMARK_CONDITIONAL) | (s->on & ~s->conditional);
	unsigned int conditional =
		(state_conditional(event, before) & kept) | (s->on & s->conditional);

	if (conditional || before & WAYMARK_CONDITIONAL) {
		__atomic_store_n(
			&waymark_conditional[event->id], (uint16_t)conditional, __ATOMIC_RELAXED);
	}
	mask |= conditional ? WAYMARK_CONDITIONAL : 0;
	__atomic_store_n(state_backends(event), (uint16_t)mask, __ATOMIC_RELEASE);
}

static inline void state_raise(const struct waymark_event *event, unsigned int backends)
{
	state_switch(event, &(struct switching){ .on = backends });
}

static inline void state_clear(const struct waymark_event *event, unsigned int backends)
{
	state_switch(event, &(struct switching){ .off = backends });
}

static inline unsigned int state_watchers(const struct waymark_event *event)
{
	return __atomic_load_n(state_backends(event) + 1, __ATOMIC_RELAXED);
}

#endif
