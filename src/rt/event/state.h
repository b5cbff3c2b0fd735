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
 * The backends that are on under a condition, by the event's id. A thread that finds none, although
 * the mask that it has loaded says there are, finds them in the mask that it loads then: by acquire
 * and release.
 */
extern uint16_t waymark_conditional[REGISTRY_IDS_MAX];
#define STATE_WATCHED WAYMARK_CONDITIONAL

/* Returns what a state's mask leaves to a decision: backends, and STATE_WATCHED. */
static inline unsigned int state_decided(const struct waymark_event *event, unsigned int mask)
{
	return mask & WAYMARK_CONDITIONAL
		       ? __atomic_load_n(&waymark_conditional[event->id], __ATOMIC_ACQUIRE)
		       : 0;
}

/* Returns the backends of a state's mask that are on under the event's condition. */
static inline unsigned int state_conditional(const struct waymark_event *event, unsigned int mask)
{
	return state_decided(event, mask) & ~STATE_WATCHED;
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

static inline bool state_is_watched(const struct waymark_event *event)
{
	return state_decided(event, state_mask(event)) & STATE_WATCHED;
}

static inline void state_store_mask(const struct waymark_event *event, unsigned int mask)
{
	/* Pairs with WAYMARK_BACKENDS() of a call site, which then sees the id and the decision. */
	__atomic_store_n(state_backends(event), (uint16_t)mask, __ATOMIC_RELEASE);
}

static inline void state_store_decided(const struct waymark_event *event, unsigned int decided)
{
	__atomic_store_n(&waymark_conditional[event->id], (uint16_t)decided, __ATOMIC_RELEASE);
}

/*
 * Stores the backends that are on, and what is decided, so that a thread finds each backend that is
 * on before and afterwards in one of both at every moment. Loads and stores, which the lock makes
 * one step, because riscv64 has no atomic 16-bit operation.
 */
static inline void state_store(
	const struct waymark_event *event, unsigned int on, unsigned int decided)
{
	unsigned int before = state_decided(event, state_mask(event));

	if (before | decided) {
		state_store_decided(event, before | decided);
		state_store_mask(event, on | WAYMARK_CONDITIONAL);
		state_store_decided(event, decided);
	}
	state_store_mask(event, on | (decided ? WAYMARK_CONDITIONAL : 0));
}

/* Notes whether the event, which has an id, has triggers. Under the control lock. */
static inline void state_watch(const struct waymark_event *event, bool on)
{
	unsigned int mask = state_mask(event);

	state_store(event, mask & ~WAYMARK_CONDITIONAL,
		state_conditional(event, mask) | (on ? STATE_WATCHED : 0));
}

/* A switch of an event: masks of backends. */
struct switching {
	unsigned int on;
	unsigned int conditional; /* those of `on` that the event's condition decides */
	unsigned int off;
};

static inline void state_switch(const struct waymark_event *event, const struct switching *s)
{
	unsigned int kept = ~(s->off | s->on) | STATE_WATCHED;
	unsigned int before = state_mask(event);

	state_store(event, (before & kept & ~WAYMARK_CONDITIONAL) | (s->on & ~s->conditional),
		(state_decided(event, before) & kept) | (s->on & s->conditional));
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
