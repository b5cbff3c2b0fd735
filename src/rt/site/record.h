/* SPDX-License-Identifier: MIT */
/*
 * Trace points of waymark/scope.h: declarations that the files of this folder share. end.c ends
 * scopes and flows, site.c records arguments that come as values, packed.c those that come as
 * words, begin.c keeps the stack of WAYMARK_BEGIN(); declared.c records declared events. Of the
 * recorders only `ctf` records them, see event_backends(). Any thread, any signal handler.
 */
#ifndef RT_SITE_RECORD_H
#define RT_SITE_RECORD_H

#include <waymark/record_scope.h>

#include "rt/event/registry.h"
#include "rt/event/site.h"

/* Returns the backends that are on for the trace point. */
static inline unsigned int site_backends(waymark_site_pointer *site)
{
	return WAYMARK_BACKENDS(*(*site)->state);
}

/* Begins a record; without `wait`, by no call, and false means: try again with it. */
WAYMARK_INLINE bool site_open(
	struct waymark_record *r, const struct waymark_event *event, size_t size, bool wait)
{
	return wait ? waymark_record_begin(r, WAYMARK_RECORDER_CTF, event, size)
		    : waymark_record_try(r, WAYMARK_RECORDER_CTF, event, size);
}

/* Ends a scope of WAYMARK_BEGIN(). */
void waymark_site_leave_event(const struct waymark_event *event, uint64_t token);

/*
 * Returns true if the event, which was loaded when `removals` objects had been removed, is still
 * loaded. Returns false also if the control lock stays taken: a signal handler may have interrupted
 * its holder.
 */
bool waymark_site_is_loaded(const struct waymark_event *event, uint32_t removals);

/* Ends a flow: the function that its struct waymark_scope calls. */
void waymark_site_end_flow(const struct waymark_scope *flow);

/*
 * Notes what the end of a flow needs; `flow->line` gets the number of objects removed by its begin.
 */
static inline void site_flow_begins(struct waymark_scope *flow, const struct waymark_event *event)
{
	flow->event = event;
	flow->line = waymark_registry_removals();
}

#endif
