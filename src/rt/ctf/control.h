/* SPDX-License-Identifier: MIT */
/* The requests of the option and the API to ctf beyond what every sink has (rt/sink/sink.h). */
#ifndef RT_CTF_CONTROL_H
#define RT_CTF_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/control.h>

/* Options; in force from the next trace on. */
void waymark_ctf_set_replace(bool replace);
bool waymark_ctf_replaces(void);
int waymark_ctf_set_pieces(uint64_t rotate, uint32_t keep, struct waymark_error *error);

/*
 * With full=overwrite: writes the events in memory as a trace of its own, a directory of that name.
 * Returns 0, or -1 with the reason. No signal handler.
 */
int waymark_ctf_snapshot(const char *path, struct waymark_error *error);

/*
 * True if this process writes a native trace by now; then events that get an id
 * are to be declared in it before they are switched on. No signal handler.
 */
bool waymark_ctf_has_begun(void);
void waymark_ctf_declare_now(void);

/*
 * In a jail the consumer writes nothing. Declarations go into the buffer, for `waymark drain`,
 * which makes the trace of them.
 */

/*
 * Makes the buffers for `count` processes of a program that has `events`. Returns 0 or an
 * errno; EALREADY where this one has recorded already. While no other thread records; no signal
 * handler.
 */
int waymark_ctf_jail_make(uint32_t count, size_t events);

/* True if this process records into one of them. Any context. */
bool waymark_ctf_jail_has_begun(void);

/* Declares the events that got an id since. Any thread, any signal handler. */
void waymark_ctf_jail_declare(void);

#endif
