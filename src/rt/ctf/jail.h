/* SPDX-License-Identifier: MIT */
/*
 * The consumer of the sink `ctf` in a jail: it writes nothing. Declarations go into the
 * buffer, for `waymark drain`, which makes the trace of them.
 */
#ifndef RT_CTF_JAIL_H
#define RT_CTF_JAIL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes the buffers for `count` processes of a program that has `events`. Returns 0 or an
 * errno; EALREADY where this one has recorded already. While no other thread records; no signal
 * handler.
 */
int waymark_ctf_jail_make(uint32_t count, size_t events);

/* Whether this process records into one of them. Any context. */
bool waymark_ctf_jail_has_begun(void);

/* Declares the events that got an id since. Any thread, any signal handler. */
void waymark_ctf_jail_declare(void);

#endif
