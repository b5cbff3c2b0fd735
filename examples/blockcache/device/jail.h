/* SPDX-License-Identifier: MIT */
/* The jail of a device process. */
#ifndef BLOCKCACHE_JAIL_H
#define BLOCKCACHE_JAIL_H

#include <stddef.h>

/*
 * Takes from the calling process, for good, what it need not have: descriptors other than the
 * `count` at `keep`, which are sorted here; as root its file system, network and rights; and
 * all system calls but those of `device`, to which tracing's are added. Nothing
 * is opened afterwards, by tracing neither. Returns 0 or an errno.
 */
int jail_enter(int *keep, size_t count, const int *calls, size_t call_count);

#endif
