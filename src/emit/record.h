/* SPDX-License-Identifier: MIT */
/*
 * What the backends that write binary records share: the body that stores an
 * event into the calling thread's open packet, and the functions around it.
 */
#ifndef EMIT_RECORD_H
#define EMIT_RECORD_H

#include "emit/emit.h"

/* `record_<event>()`, once for all backends that record. */
void emit_record(struct emit_context *c, const struct event *e);

/* `<backend>_<event>()`. `recorder`: of enum waymark_recorder, as C names it. */
void emit_recorder(
	struct emit_context *c, const struct event *e, const char *backend, const char *recorder);

#endif
