/* SPDX-License-Identifier: MIT */
/* trace/control.h, as far as it is about events; trace_option.c is the rest. */
#include <trace/control.h>

#include "rt/host/lock.h"
#include "rt/host/message.h"
#include "rt/event/pattern.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"

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
