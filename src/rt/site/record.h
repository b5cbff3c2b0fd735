/* SPDX-License-Identifier: MIT */
/*
 * What trace points of waymark/scope.h do with a record, whether their arguments come as words
 * (packed.c) or as values (site.c). Of the recorders `ctf` alone has them, see
 * event_backends(). Any thread, any signal handler.
 */
#ifndef RT_SITE_RECORD_H
#define RT_SITE_RECORD_H

#include <waymark/record_scope.h>

#include "rt/event/registry.h"
#include "rt/event/site.h"

/* What is on for the trace point. */
static inline unsigned int site_backends(waymark_site_pointer *site)
{
	return WAYMARK_BACKENDS(*(*site)->state);
}

/* Ends a scope of a block, or of WAYMARK_BEGIN(). */
void waymark_site_leave_event(const struct waymark_event *event, uint64_t token);

/*
 * Whether an event may be touched that was there when so many objects had gone: it is not
 * where its own has. Where the control lock is not to be had, which a signal handler may have
 * found taken, that is not known, and it is not.
 */
bool waymark_site_is_there(const struct waymark_event *event, uint32_t removals);

/* Ends a flow: what its struct waymark_scope calls. */
void waymark_site_end_flow(const struct waymark_scope *flow);

/* Of a flow that is on: what its end needs. Its `line` says when it began. */
static inline void site_flow_begins(struct waymark_scope *flow, const struct waymark_event *event)
{
	flow->event = event;
	flow->line = waymark_registry_removals();
}

#endif
