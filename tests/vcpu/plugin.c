/* SPDX-License-Identifier: MIT */
/* A plug-in with an event of vCPUs. */
#include "vcpu_events.h"

VCPU_EVENT(plugin_run, WAYMARK_EVENT_VCPU | WAYMARK_EVENT_EXEC, 1)
VCPU_EVENT_LIST(&waymark_event_plugin_run)

unsigned long plugin_run(const struct cpu *cpu);

/* Fires; returns how many events of that CPU were counted by now. */
unsigned long plugin_run(const struct cpu *cpu)
{
	trace_plugin_run(cpu);
	return fired_plugin_run[cpu->number];
}
