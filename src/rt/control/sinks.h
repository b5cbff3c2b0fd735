/* SPDX-License-Identifier: MIT */
/*
 * The table of sinks, and the outputs that `ctf.file=` and its like name. A file is made only
 * when an event is loaded that can write to it: until a library or plug-in
 * brings one, the name waits.
 */
#ifndef RT_CONTROL_SINKS_H
#define RT_CONTROL_SINKS_H

#include "rt/sink/sink.h"

/* The first sink of the table whose backend is in `backends`, NULL when there is none. */
const struct waymark_sink *waymark_sink_first(unsigned int backends);

/* The sink of that name, NULL when there is none. */
const struct waymark_sink *waymark_sink_by_name(const char *name);

/*
 * Opens the sink's file, or keeps its name for later; `yield` as for set_file().
 * Returns 0, or -1 with the reason.
 */
int waymark_output_set(
	const struct waymark_sink *sink, const char *path, bool yield, struct waymark_error *error);

/* An object was registered: opens what waited for its events. */
void waymark_output_follow(void);

/* Something later names the sink's file: what waits has lost. */
void waymark_output_forget(const struct waymark_sink *sink);

#endif
