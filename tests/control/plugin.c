/* SPDX-License-Identifier: MIT */
/* A plug-in with events; one of them has the name of an event of the program. */
#include "events.h"

EVENT(plugin_run, WAYMARK_LOG | WAYMARK_SIMPLE, 1)
EVENT(shared_name, WAYMARK_LOG | WAYMARK_SIMPLE, 2)
EVENT_LIST(&waymark_event_plugin_run, &waymark_event_shared_name)

void plugin_run(int value);

void plugin_run(int value)
{
	trace_plugin_run(value);
	trace_shared_name(value);
}
