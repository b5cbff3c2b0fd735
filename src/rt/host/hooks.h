/* SPDX-License-Identifier: MIT */
/*
 * The functions of waymark_set_host(). A thread that is inside one of them calls no other: callers
 * enter before each call and leave after it.
 */
#ifndef RT_HOST_HOOKS_H
#define RT_HOST_HOOKS_H

#include <waymark/host.h>

/*
 * Returns the program's functions, valid until waymark_hooks_leave(). Returns NULL, and must not be
 * followed by waymark_hooks_leave(), if the program has set none or this thread is inside one of
 * them. Any thread, any signal handler.
 */
const struct waymark_host *waymark_hooks_enter(void);
void waymark_hooks_leave(void);

#endif
