/* SPDX-License-Identifier: MIT */
/* The jail of a device process. */
#ifndef BLOCKCACHE_JAIL_H
#define BLOCKCACHE_JAIL_H

#include <stddef.h>

/*
 * Permanently removes from the calling process: all descriptors but the `count` at `keep`, which
 * are sorted here; as root its file system, network and rights; and all system calls but the
 * given ones, to which tracing's are added. No file is opened afterwards, not even by tracing.
 * Returns 0 or an errno.
 */
int jail_enter(int *keep, size_t count, const int *calls, size_t call_count);

#endif
