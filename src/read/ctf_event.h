/* SPDX-License-Identifier: MIT */
/*
 * From an `event` block of CTF metadata, and the declaration before it, to an
 * event of the model and the layout of its records. Private to read/ctf_*.
 */
#ifndef READ_CTF_EVENT_H
#define READ_CTF_EVENT_H

#include "read/ctf_metadata.h"
#include "read/ctf_type.h"

/*
 * Reads `{ id = 1; name = "..."; ... };` from behind its first word and adds it
 * to the metadata's events. False after an error: such an event cannot be read.
 */
bool ctf_read_event(struct ctf_parser *p, struct ctf_metadata *md);

/*
 * The event that `text` declares (format/ctf.h), NULL when it is none of that
 * name or its arguments are not those of the layout.
 */
const struct event *ctf_declared_event(
	struct ctf_metadata *md, struct span text, const char *name, const struct layout *layout);

#endif
