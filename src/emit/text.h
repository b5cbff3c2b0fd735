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

/*
 * The statements that make `waymark_values` of a message's placeholders, and use what no
 * placeholder shows; returns how many there are: of none there is no such array.
 */
size_t emit_text_values(struct emit_context *c, const struct event *e);

#endif
