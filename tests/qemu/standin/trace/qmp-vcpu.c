/* SPDX-License-Identifier: MIT */
/* trace/qmp.c of releases up to 9.0, whose function has a vCPU. */
#include "qemu/osdep.h"

#include "qapi/error.h"
#include "trace/control.h"
#include "util.h"

void qmp_trace_event_set_state(
	const char *name, bool enable, bool has_vcpu, int64_t vcpu, Error **errp)
{
	TraceEvent *event = trace_event_name(name);

	if (event && !has_vcpu) {
		trace_event_set_state_dynamic(event, enable);
	} else {
		error_setg(errp, "not found: %s", name);
	}
}
