/* SPDX-License-Identifier: MIT */
/*
 * Requests of the option and the API to ctf, in addition to the functions of every sink
 * (rt/sink/sink.h).
 */
#ifndef RT_CTF_CONTROL_H
#define RT_CTF_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/control.h>

/* Set options, which are in force from the next trace on. */
void waymark_ctf_set_replace(bool replace);
bool waymark_ctf_replaces(void);
int waymark_ctf_set_pieces(uint64_t rotate, uint32_t keep, struct waymark_error *error);

/*
 * With full=overwrite: writes the events in memory as a separate trace, a directory of that name.
 * Returns 0, or -1 with the reason. No signal handler.
 */
int waymark_ctf_snapshot(const char *path, struct waymark_error *error);

/*
 * Returns true if this process has begun a native trace. Then events that get an id must be
 * declared in it before they are switched on. No signal handler.
 */
bool waymark_ctf_has_begun(void);
void waymark_ctf_declare_now(void);

/*
 * In a jail the consumer writes no files. Declarations go into the buffer, from which `waymark
 * drain` makes the trace.
 */

/*
 * Makes the buffers for `count` processes of a program that has `events`. Returns 0 or an errno;
 * EALREADY if this process has recorded already. Call it while no other thread records; no signal
 * handler.
 */
int waymark_ctf_jail_make(uint32_t count, size_t events);

/* Returns true if this process records into one of these buffers. Any context. */
bool waymark_ctf_jail_has_begun(void);

/* Declares the events that got an id since the last call. Any thread, any signal handler. */
void waymark_ctf_jail_declare(void);

#endif
