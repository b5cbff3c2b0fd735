/* SPDX-License-Identifier: MIT */
/* The parts of a trace's metadata that its begin needs. For ctf_*.c alone. */
#ifndef RT_SINK_CTF_METADATA_H
#define RT_SINK_CTF_METADATA_H

#include "rt/host/guard.h"
#include "rt/sink/ctf.h"

/*
 * Writes all of the metadata to a file of that name. False, with errno, when it
 * cannot be written; there is no file then. Under metadata_lock, or before the
 * trace is known to others.
 */
bool waymark_ctf_metadata_write(
	struct ctf_trace *t, int directory, const char *name, const struct arena_clock *now);

/*
 * Whoever changes the metadata, or the trace itself, or needs its path whole. Signals
 * stay blocked: no handler finds its own thread with it. Any thread, no signal handler.
 */
void waymark_ctf_lock(struct ctf_trace *t, struct guard *guard);

/* errno stays. */
void waymark_ctf_unlock(struct ctf_trace *t, const struct guard *guard);

#endif
