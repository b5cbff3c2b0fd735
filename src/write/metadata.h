/* SPDX-License-Identifier: MIT */
/*
 * Writes the metadata of a native trace (format/ctf_text.h) from events of the model, from
 * declaration files or readers. For write/ctf_writer.c. One thread.
 */
#ifndef WRITE_METADATA_H
#define WRITE_METADATA_H

#include <stdint.h>

#include "format/ctf_text_event.h"
#include "model/event.h"
#include "text/out.h"

/* Writes the part before the first event. */
void metadata_put_head(struct out *out, const struct ctf_text_trace *trace);

/*
 * Writes an event, with the widths of 64-bit hosts. `unsigned_chars` has the bits of the arguments
 * of type char that are unsigned, as on some hosts.
 */
void metadata_put_event(
	struct out *out, uint16_t id, const struct event *e, uint32_t unsigned_chars);

/*
 * Returns the bytes of an argument in a packet: the size of a number, which is also its alignment;
 * for others, the bytes before their content, such as 4 for a string's length.
 */
static inline unsigned int metadata_arg_bytes(const struct type *t)
{
	if (!type_is_number(t) && !type_is_pair(t)) {
		return (t->class == TYPE_STRING ? 1 : 3) * sizeof(uint32_t);
	}
	return t->class == TYPE_TCG ? sizeof(uint64_t) : t->size64;
}

#endif
