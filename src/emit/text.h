/* SPDX-License-Identifier: MIT */
/*
 * What the backends share that hand an event over as a line of text, `<name>
 * <message>`: the runtime has a printf-like function for each of them.
 */
#ifndef EMIT_TEXT_H
#define EMIT_TEXT_H

#include "emit/emit.h"

/* `<backend>_<event>()`, which calls waymark_<backend>(). */
void emit_text(struct emit_context *c, const struct event *e, const char *backend);

#endif
