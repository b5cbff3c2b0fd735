/* SPDX-License-Identifier: MIT */
/*
 * The function `record_<event>()` of the backends that write binary records:
 * it stores the event into the calling thread's open packet.
 */
#ifndef EMIT_RECORD_H
#define EMIT_RECORD_H

#include "emit/emit.h"

void emit_record(struct emit_context *c, const struct event *e);

#endif
