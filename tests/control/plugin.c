/* SPDX-License-Identifier: MIT */
/* An object that comes and goes, with events of its own; one has the program's name. */
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
