/* SPDX-License-Identifier: MIT */
/* What the parts of the generated source share. */
#ifndef EMIT_FORMAT_C_H
#define EMIT_FORMAT_C_H

#include "emit/emit.h"

/* `WAYMARK_LOG | WAYMARK_SIMPLE`: the backends of an event. */
const char *c_masks(struct emit_context *c, const struct event *e);

/* The table of an event's arguments, and its descriptor. */
void emit_descriptor(struct emit_context *c, const struct event *e);

/* The first chosen backend that records, -1 where none does. */
int c_first_recorder(const struct emit_context *c);

/* The bits of tracers outside, a statement each. */
const char *c_watched(struct emit_context *c, const struct event *e);

#endif
