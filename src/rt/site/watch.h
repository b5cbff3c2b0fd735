/* SPDX-License-Identifier: MIT */
/* A call of an event with watches (rt/event/trigger.h). */
#ifndef RT_SITE_WATCH_H
#define RT_SITE_WATCH_H

#include "rt/event/trigger.h"

/*
 * Gives the call its elapsed(): the time since the first call of the pair with the same field;
 * none if there is none. The thread, in any context.
 */
void waymark_pair(const struct slot *s, struct field_call *call, struct pairing *p,
	const struct field_ref *field);

/*
 * Do what a watch, and what all watches of the event do in the call. The thread, inside its slot,
 * which it entered at `turn`, in any context.
 */
void waymark_watch(struct slot *s, const struct watch *w, struct field_call *call, uint32_t turn);
void waymark_watch_all(
	struct slot *s, const struct watches *all, struct field_call *call, uint32_t turn);

#endif
