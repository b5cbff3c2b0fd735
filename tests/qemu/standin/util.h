/* SPDX-License-Identifier: MIT */
/* Sends log lines to this file, as -D does. */
void open_log(const char *name);

/* Of trace/qmp.c, as QEMU's, without the parameter that ignores unavailable events. */
#ifdef WAYMARK_QEMU_MAKE
void qmp_trace_event_set_state(
	const char *name, bool enable, bool has_vcpu, int64_t vcpu, Error **errp);
#else
void qmp_trace_event_set_state(const char *name, bool enable, Error **errp);
#endif
