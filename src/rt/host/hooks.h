/* SPDX-License-Identifier: MIT */
/*
 * The functions of waymark_set_host(). A thread that is in one of them calls no other: the caller
 * enters before each call and leaves after it.
 */
#ifndef RT_HOST_HOOKS_H
#define RT_HOST_HOOKS_H

#include <waymark/host.h>

/*
 * The program's functions, valid until waymark_hooks_leave(). NULL, and no leave, where it has set
 * none or this thread is in one of them. Any thread, any signal handler.
 */
const struct waymark_host *waymark_hooks_enter(void);
void waymark_hooks_leave(void);

#endif
