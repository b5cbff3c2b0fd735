/* SPDX-License-Identifier: MIT */
/*
 * trace/control.h of a QEMU tree that records with Waymark: QEMU's control API, as the library
 * declares it, and the option group that QEMU's programs register.
 */
#ifndef QEMU_TRACE_CONTROL_H
#define QEMU_TRACE_CONTROL_H

#if defined(WAYMARK_QEMU_MAKE) && __has_include("qom/cpu.h")
/* Up to 4.0 QEMU's control.h included these, and its sources rely on it. */
#include "qemu/osdep.h"
#include "qemu-common.h"
#include "qom/cpu.h"
#endif

#include <waymark/qemu.h>

extern QemuOptsList qemu_trace_opts;

/*
 * Switches the events of a name or pattern with limits or a condition, or adds or removes a trigger
 * or an aggregation, for trace-event and trace-event-set-state. Warns about events that match and
 * that the terms do not fit; an error changes nothing.
 */
void waymark_qemu_set_terms(const char *rule, bool enable, Error **errp);

#ifdef WAYMARK_QEMU_MAKE
/* Up to release 5.1, built by make: the name of the file goes through the program. */
static inline char *waymark_qemu_opt_parse(const char *option)
{
	trace_opt_parse(option);
	return NULL;
}
#define trace_opt_parse waymark_qemu_opt_parse
#define trace_init_file(file) ((void)(file), (trace_init_file)())
#endif

#endif
