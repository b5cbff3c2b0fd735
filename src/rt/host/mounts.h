/* SPDX-License-Identifier: MIT */
/*
 * Where the kernel's file systems are mounted, as /proc/mounts tells it. Reads in
 * pieces and keeps one path: lines may have any length. No state, no allocation:
 * any thread, any signal handler; may change errno.
 */
#ifndef RT_HOST_MOUNTS_H
#define RT_HOST_MOUNTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Too large for the stack of a trace point: the caller maps it. */
struct mounts {
	int fd; /* -1: there is nothing to read */
	size_t at;
	size_t length;
	char bytes[1024];
	char path[PATH_MAX]; /* what waymark_mounts_next() found */
};

/* A system without /proc has no mounts. */
void waymark_mounts_open(struct mounts *m);

/* Puts the place of the next file system of that type into `path`; false: there is none. */
bool waymark_mounts_next(struct mounts *m, const char *type);

void waymark_mounts_close(struct mounts *m);

#endif
