/* SPDX-License-Identifier: MIT */
/* Switches events as trace-event-set-state does. */
#include "qemu/osdep.h"

#include "qapi/error.h"
#include "trace/control.h"
#include "util.h"

void qmp_trace_event_set_state(const char *name, bool enable, Error **errp)
{
	TraceEvent *event = trace_event_name(name);

	if (event) {
		trace_event_set_state_dynamic(event, enable);
	} else {
		error_setg(errp, "not found: %s", name);
	}
}
