/* SPDX-License-Identifier: MIT */
/* The parts of a trace's metadata that its begin needs. For src/rt/ctf alone. */
#ifndef RT_CTF_METADATA_H
#define RT_CTF_METADATA_H

#include "rt/ctf/ctf.h"
#include "rt/host/guard.h"

/*
 * Writes all of the metadata to a file of that name. False, with errno, when it
 * cannot be written; there is no file then. Under metadata_lock, or before the
 * trace is known to others.
 */
bool waymark_ctf_metadata_write(
	struct ctf_trace *t, int directory, const char *name, const struct buffer_clock *now);

/* Memory for the text. */
struct ctf_area {
	char *text;
	uint64_t room;
	uint64_t length;
};

/*
 * Adds what is missing: the head, where it is empty, and the events after those that were declared.
 * False where there is no room for all of it. Under metadata_lock.
 */
bool waymark_ctf_metadata_put(struct ctf_trace *t, struct ctf_area *area);

/*
 * Reads the names of the host and the process, and has them kept: in a jail there are no files to
 * read them from. No signal handler.
 */
void waymark_ctf_names_keep(void);

/*
 * Held to change the metadata, or the trace itself, or to read its path. Signals stay
 * blocked, or a handler could wait for its own thread. Any thread, no signal handler.
 */
void waymark_ctf_lock(struct ctf_trace *t, struct guard *guard);

/* errno stays. */
void waymark_ctf_unlock(struct ctf_trace *t, const struct guard *guard);

#endif
