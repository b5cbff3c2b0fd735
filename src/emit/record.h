/* SPDX-License-Identifier: MIT */
/*
 * The function `<backend>_<event>()` of a backend that writes binary records:
 * it stores the event into the calling thread's open packet.
 */
#ifndef EMIT_RECORD_H
#define EMIT_RECORD_H

#include "emit/emit.h"

/* `recorder`: of enum waymark_recorder, as C names it. */
void emit_record(
	struct emit_context *c, const struct event *e, const char *backend, const char *recorder);

#endif
