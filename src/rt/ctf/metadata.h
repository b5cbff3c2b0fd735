/* SPDX-License-Identifier: MIT */
/* The metadata functions that the beginning of a trace needs. Only for src/rt/ctf. */
#ifndef RT_CTF_METADATA_H
#define RT_CTF_METADATA_H

#include "rt/ctf/ctf.h"
#include "rt/host/guard.h"

/*
 * Writes all of the metadata to a file of that name. Returns false, with errno and without a file,
 * if it cannot be written. Under metadata_lock, or before other threads can see the trace.
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
 * Adds what is missing: the head, if the text is empty, and the events that are not declared yet.
 * Returns false if there is no room for all of it. Under metadata_lock.
 */
bool waymark_ctf_metadata_put(struct ctf_trace *t, struct ctf_area *area);

/*
 * Reads and keeps the names of the host and the process, because in a jail the files with them
 * cannot be read. No signal handler.
 */
void waymark_ctf_names_keep(void);

/*
 * Takes the lock for changing the metadata or the trace itself, or reading its path. Signals stay
 * blocked, because otherwise a signal handler could wait for its own thread. Any thread, no signal
 * handler.
 */
void waymark_ctf_lock(struct ctf_trace *t, struct guard *guard);

/* Releases the lock; keeps errno. */
void waymark_ctf_unlock(struct ctf_trace *t, const struct guard *guard);

#endif
