/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a native trace (format/ctf_text.h), as text into an output
 * writer, from events as declaration files and readers know them. One thread.
 */
#ifndef WRITE_METADATA_H
#define WRITE_METADATA_H

#include <stdint.h>

#include "format/ctf_text_event.h"
#include "model/event.h"
#include "text/out.h"

/* Writes what stands before the first event. */
void metadata_put_head(struct out *out, const struct ctf_text_trace *trace);

/*
 * Writes an event, with widths as on hosts of 64 bits. Of the arguments that are
 * a plain char, those whose bit is in `unsigned_chars` have no sign: only the
 * traced host knew.
 */
void metadata_put_event(
	struct out *out, uint16_t id, const struct event *e, uint32_t unsigned_chars);

/*
 * Bytes of an argument in a packet, which are the alignment of a number too; what others take
 * besides the bytes that they have: 4 for a string's length.
 */
static inline unsigned int metadata_arg_bytes(const struct type *t)
{
	if (!type_is_number(t) && !type_is_pair(t)) {
		return (t->class == TYPE_STRING ? 1 : 3) * sizeof(uint32_t);
	}
	return t->class == TYPE_TCG ? sizeof(uint64_t) : t->size64;
}

#endif
