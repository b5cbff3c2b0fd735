/* SPDX-License-Identifier: MIT */
/* The signal on which full=overwrite writes what it has in memory. */
#ifndef RT_CONTROL_SNAPSHOT_H
#define RT_CONTROL_SNAPSHOT_H

#include <waymark/control.h>

/* Returns 0, or -1: the program itself handles or ignores that signal. */
int waymark_snapshot_check(int sig, struct waymark_error *error);

/* Installs the handler in the place of that for an earlier one. Returns 0 or -1 as above. */
int waymark_snapshot_install(int sig, struct waymark_error *error);

#endif
