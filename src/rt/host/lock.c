/* SPDX-License-Identifier: MIT */
/*
 * The control lock, and its handling around forks. No fork handler runs for a raw clone(2), so its
 * child may find the lock taken by a thread that does not exist there: such a child can trace, but
 * must not call control functions.
 */
#include "rt/host/lock.h"

static pthread_mutex_t control_lock = PTHREAD_MUTEX_INITIALIZER;

void waymark_lock(void)
{
	pthread_mutex_lock(&control_lock);
}

void waymark_unlock(void)
{
	pthread_mutex_unlock(&control_lock);
}

void waymark_lock_wait(pthread_cond_t *changed)
{
	pthread_cond_wait(changed, &control_lock);
}

bool waymark_trylock(void)
{
	return pthread_mutex_trylock(&control_lock) == 0;
}

__attribute__((constructor)) static void lock_follows_forks(void)
{
	pthread_atfork(waymark_lock, waymark_unlock, waymark_unlock);
}
