/* SPDX-License-Identifier: MIT */
/*
 * The control lock: it guards the registry's lists, the rules, the entries and the log file's name.
 * It is taken by control calls and when objects are loaded or unloaded, never by a trace point. A
 * fork takes it too, so in the child the lock is free and everything that it guards is complete.
 *
 * A holder calls no callback, opens nothing, does not wait for anything outside, and does not call
 * the dynamic linker.
 */
#ifndef RT_HOST_LOCK_H
#define RT_HOST_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void waymark_lock(void);
void waymark_unlock(void);

/* Waits as pthread_cond_wait(3) does: the lock is free meanwhile. */
void waymark_lock_wait(pthread_cond_t *changed);

/* Takes the lock if it is free; returns whether it was. Any signal handler. */
bool waymark_trylock(void);

#endif
