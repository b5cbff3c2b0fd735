/* SPDX-License-Identifier: MIT */
/*
 * From an `event` block of CTF metadata, and the declaration before it, to an
 * event of the model and the layout of its records. Private to src/read/ctf.
 */
#ifndef READ_CTF_EVENT_H
#define READ_CTF_EVENT_H

#include "read/ctf/metadata.h"
#include "read/ctf/type.h"

/*
 * Reads `{ id = 1; name = "..."; ... };` from behind its first word and adds it
 * to the metadata's events. False after an error: such an event cannot be read.
 */
bool ctf_read_event(struct ctf_parser *p, struct ctf_metadata *md);

/* The event that the scanned declaration (format/ctf.h) declares; NULL: none of that name. */
struct event *ctf_declared_event(
	struct ctf_metadata *md, const struct ctf_scan *scan, const char *name);

/*
 * That event, if its arguments are those of the layout, or the one of that name that the user's
 * declarations have, or NULL.
 */
const struct event *ctf_fitting_event(struct ctf_metadata *md, struct event *declared,
	const char *name, const struct record_layout *layout);

#endif
