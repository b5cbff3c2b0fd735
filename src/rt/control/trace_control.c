/* SPDX-License-Identifier: MIT */
/*
 * The functions of trace/control.h about events and single vCPUs, over waymark/control.h and the
 * registry; trace_option.c has the functions that print. Called by the program, never by an event.
 */
#include <trace/control.h>

#include "rt/event/pattern.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"

void trace_event_iter_init_all(TraceEventIter *iter)
{
	waymark_iter_init(iter, NULL);
}

void trace_event_iter_init_pattern(TraceEventIter *iter, const char *pattern)
{
	waymark_iter_init(iter, pattern);
}

void trace_event_iter_init_group(TraceEventIter *iter, size_t group_id)
{
	waymark_registry_iter_group(iter, group_id);
}

void trace_event_iter_init(TraceEventIter *iter, const char *pattern)
{
	waymark_iter_init(iter, pattern);
}

TraceEvent *trace_event_iter_next(TraceEventIter *iter)
{
	return waymark_registry_next(iter);
}

TraceEvent *trace_event_name(const char *name)
{
	return waymark_registry_find(name);
}

bool trace_event_is_pattern(const char *str)
{
	return waymark_pattern_is(str);
}

uint32_t trace_event_get_id(TraceEvent *ev)
{
	if (!ev) {
		return 0;
	}
	waymark_lock();
	uint32_t id = waymark_entry_id(ev);

	waymark_unlock();
	return id;
}

const char *trace_event_get_name(TraceEvent *ev)
{
	return ev ? ev->name : "";
}

bool trace_event_get_state_static(TraceEvent *ev)
{
	return ev && ev->backends;
}

bool trace_event_get_state_dynamic(TraceEvent *ev)
{
	return ev && state_get(ev);
}

void trace_event_set_state_dynamic(TraceEvent *ev, bool state)
{
	static struct once told;
	struct waymark_error error;

	if (!ev || waymark_set_state(ev, WAYMARK_ANY_BACKEND, state, &error) == 0) {
		return;
	}
	if (once(&told)) {
		waymark_message("%s", error.text);
	}
}

void trace_event_set_state_dynamic_init(TraceEvent *ev, bool state)
{
	trace_event_set_state_dynamic(ev, state);
}

/* These functions return nothing, so the first error is reported; later ones would be similar. */
static void tell(const struct waymark_error *error)
{
	static struct once told;

	if (once(&told)) {
		waymark_message("%s", error->text);
	}
}

void trace_init_vcpu(void *cpu)
{
	struct waymark_error error;

	if (waymark_vcpu_init(cpu, WAYMARK_VCPU_NEXT, &error) < 0) {
		tell(&error);
	}
}

void trace_fini_vcpu(void *cpu)
{
	waymark_vcpu_fini(cpu);
}

bool trace_event_get_vcpu_state_dynamic(const void *cpu, TraceEvent *ev)
{
	return ev && waymark_vcpu_get_state(cpu, ev);
}

void trace_event_set_vcpu_state_dynamic(const void *cpu, TraceEvent *ev, bool state)
{
	struct waymark_error error;

	if (ev && waymark_vcpu_set_state(cpu, ev, state, &error) < 0) {
		tell(&error);
	}
}

bool trace_event_is_vcpu(TraceEvent *ev)
{
	return ev && ev->flags & WAYMARK_EVENT_VCPU;
}

/*
 * Returns the number of `vcpu` events before `ev`, or of all if that is NULL; TRACE_VCPU_EVENT_NONE
 * if `ev` is not registered.
 */
static uint32_t count_before(const TraceEvent *ev)
{
	uint32_t count = 0;

	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			if (*it == ev) {
				return count;
			}
			count += trace_event_is_vcpu(*it);
		}
	}
	return ev ? TRACE_VCPU_EVENT_NONE : count;
}

static uint32_t count_locked(const TraceEvent *ev)
{
	waymark_lock();
	uint32_t count = count_before(ev);

	waymark_unlock();
	return count;
}

uint32_t trace_event_get_vcpu_id(TraceEvent *ev)
{
	return trace_event_is_vcpu(ev) ? count_locked(ev) : TRACE_VCPU_EVENT_NONE;
}

uint32_t trace_get_vcpu_event_count(void)
{
	return count_locked(NULL);
}
