/* SPDX-License-Identifier: MIT */
/* The signal on which full=overwrite writes what it has in memory. */
#ifndef RT_CONTROL_SNAPSHOT_H
#define RT_CONTROL_SNAPSHOT_H

#include <waymark/control.h>

/* The number of `USR2`, `SIGUSR2` or `12`; 0 where it is no signal to be used. */
int waymark_snapshot_signal(const char *name);

/* Installs the handler. Returns 0, or -1: the program handles that signal itself. */
int waymark_snapshot_install(int sig, struct waymark_error *error);

#endif
