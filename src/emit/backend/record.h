/* SPDX-License-Identifier: MIT */
/* The functions that store events into the calling thread's open packet. */
#ifndef EMIT_BACKEND_RECORD_H
#define EMIT_BACKEND_RECORD_H

#include "emit/emit.h"

/* Writes the functions of the recording backends, one for each signature of an event. */
void emit_recorders(struct emit_context *c);

/* Returns true if the event has no backend but a recorder. */
bool emit_record_is_alone(struct emit_context *c, const struct event *e);

/* Writes `decided_<event>()`, which records such an event if its condition is true. */
void emit_record_decided(struct emit_context *c, const struct event *e);

/*
 * Returns the statements that leave only those backends in `waymark_on` for which the condition is
 * true. `none`: statements for when there is none.
 */
const char *emit_record_decide(struct emit_context *c, const struct event *e, const char *none);

#endif
