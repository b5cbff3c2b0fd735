/* SPDX-License-Identifier: MIT */
/*
 * Loading the monitor's library. Only libwaymark.so has that: to others the
 * function is NULL. A static program needs no dlopen() so, which the linker warns about.
 */
#ifndef RT_MONITOR_LOAD_H
#define RT_MONITOR_LOAD_H

#include <waymark/monitor.h>

typedef int monitor_start(const struct waymark_monitor_options *, struct waymark_error *);

/* Returns waymark_monitor_start() of the library, or NULL with the reason. It stays loaded. */
monitor_start *waymark_monitor_load(struct waymark_error *error);

#endif
