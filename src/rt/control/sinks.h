/* SPDX-License-Identifier: MIT */
/*
 * The table of sinks, and the outputs named by `ctf.file=` and similar keys. A file is created only
 * when an event is loaded that can write to it; until a library or plug-in has such an event, the
 * name waits.
 */
#ifndef RT_CONTROL_SINKS_H
#define RT_CONTROL_SINKS_H

#include "rt/sink/sink.h"

/* Returns the first sink of the table whose backend is in `backends`; NULL if there is none. */
const struct waymark_sink *waymark_sink_first(unsigned int backends);

/* Returns the sink of that name; NULL if there is none. */
const struct waymark_sink *waymark_sink_by_name(const char *name);

/*
 * Opens the sink's file, or keeps its name for later; `yield` as for set_file().
 * Returns 0, or -1 with the reason.
 */
int waymark_output_set(
	const struct waymark_sink *sink, const char *path, bool yield, struct waymark_error *error);

/* Call after an object was registered: opens the outputs that waited for its events. */
void waymark_output_follow(void);

/* Drops the name that waits for the sink, because a later option or call names its file. */
void waymark_output_forget(const struct waymark_sink *sink);

#endif
