/* SPDX-License-Identifier: MIT */
/* A plug-in with an event of vCPUs. */
#include "vcpu_events.h"

VCPU_EVENT(plugin_run, WAYMARK_EVENT_VCPU | WAYMARK_EVENT_EXEC, 1)
VCPU_EVENT_LIST(&waymark_event_plugin_run)

unsigned long plugin_run(const struct cpu *cpu);

/* Fires; returns the number of events counted for that CPU so far. */
unsigned long plugin_run(const struct cpu *cpu)
{
	trace_plugin_run(cpu);
	return fired_plugin_run[cpu->number];
}
