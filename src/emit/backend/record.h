/* SPDX-License-Identifier: MIT */
/* The body that stores an event into the calling thread's open packet. */
#ifndef EMIT_BACKEND_RECORD_H
#define EMIT_BACKEND_RECORD_H

#include "emit/emit.h"

/* Writes `record_<event>()`, which all recording backends share. */
void emit_record(struct emit_context *c, const struct event *e);

#endif
