/* SPDX-License-Identifier: MIT */
/* A program with device processes in jails, for tests/jail. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Kills the process at any system call that is none of tracing, of exit, or of the `more`
 * ones, which a test needs itself. Dies where it cannot.
 */
void jail_close(const int *more, size_t count);

/*
 * Steps of a jail that a word names: chroot=DIR, setuid=N, unshare, userns, close (all descriptors
 * but ours), close-all, eperm (a filter that refuses all that opens files), allow (one that
 * allows all). Dies on failure.
 */
void jail_enter(const char *word);

/* Prints the error, and exits. */
void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...);

#endif
