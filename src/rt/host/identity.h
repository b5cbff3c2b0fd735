/* SPDX-License-Identifier: MIT */
/*
 * Which file a descriptor is. A program may close descriptors that it does not
 * know (closefrom() of a daemon) and then use the number for a file of its own,
 * so whoever keeps one open asks before each write whether it still is his: one
 * that is lost is opened anew, a foreign one is neither written to nor closed.
 */
#ifndef RT_HOST_IDENTITY_H
#define RT_HOST_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/host/open.h"

/* Made of the file's device and inode; of the size that is loaded and stored in one piece. */
static inline uintptr_t identity_of(const struct stat *st)
{
	uint64_t mixed = (uint64_t)st->st_dev * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)st->st_ino;

	return (uintptr_t)(mixed ^ mixed >> 32);
}

/* Whether `fd` is the file of `*identity`. `st` is filled where it is open. May change errno. */
static inline bool identity_is(const uintptr_t *identity, int fd, struct stat *st)
{
	return waymark_stat(fd, st) == 0 &&
	       identity_of(st) == __atomic_load_n(identity, __ATOMIC_ACQUIRE);
}

#endif
