/* SPDX-License-Identifier: MIT */
/*
 * The control lock: it guards the registry's lists, the rules, the entries and the log file's
 * name. Taken by control calls and when objects are loaded or unloaded, never by a trace point. A
 * fork takes it too, so in the child it is free and all it guards is complete.
 *
 * While it is held: no callback, no open or other wait for anything outside, no dynamic linker.
 */
#ifndef RT_HOST_LOCK_H
#define RT_HOST_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void waymark_lock(void);
void waymark_unlock(void);

/* As pthread_cond_wait(3): the lock is free meanwhile. */
void waymark_lock_wait(pthread_cond_t *changed);

/* False where the lock is taken. Any signal handler. */
bool waymark_trylock(void);

#endif
