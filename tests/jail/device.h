/* SPDX-License-Identifier: MIT */
/* A program with device processes in jails, for tests/jail. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Installs a filter that kills the process at any system call except those of tracing, of exit,
 * and the `more` ones that a test needs itself. Exits if that fails.
 */
void jail_close(const int *more, size_t count);

/*
 * Enters a jail's step that a word names: chroot=DIR, setuid=N, unshare, userns, close (all
 * descriptors but ours), close-all, eperm (a filter that refuses all calls that open files), allow
 * (a filter that allows all). Exits on failure.
 */
void jail_enter(const char *word);

/* Prints the error, and exits. */
void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...);

#endif
