/* SPDX-License-Identifier: MIT */
/*
 * The one lock of the runtime's control half: it guards the registry's lists,
 * the rules, the entries and the log file's name. Taken by control calls and by
 * objects that come and go, never by a trace point. A fork takes it too, so it
 * is free in the child, and what it guards is whole there.
 *
 * Inside: no callback, no open or other wait for the outside, no dynamic linker.
 */
#ifndef RT_HOST_LOCK_H
#define RT_HOST_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void waymark_lock(void);
void waymark_unlock(void);

/* pthread_cond_wait(3): the lock is free meanwhile. */
void waymark_lock_wait(pthread_cond_t *changed);

/* For a signal handler's sake: false where the lock is taken. */
bool waymark_trylock(void);

#endif
