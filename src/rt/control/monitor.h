/* SPDX-License-Identifier: MIT */
/*
 * control=: the monitor, a library that is loaded only when an option asks for it. Call without
 * the control lock, and not from a signal handler.
 */
#ifndef RT_CONTROL_MONITOR_H
#define RT_CONTROL_MONITOR_H

#include <stdbool.h>
#include <string.h>

#include <waymark/control.h>
#include <waymark/monitor.h>

/* The monitor that an option requests; all NULL: none. */
struct monitor_wish {
	char *where; /* "auto": "on" if possible, until the program starts its own */
	const char *mode; /* "qmp", "hmp", "stratovirt", "stratovirt-2023"; NULL: the first */
	char *prompt; /* NULL: the monitor's own */
};

static inline bool monitor_is_optional(const struct monitor_wish *wish)
{
	return strcmp(wish->where, "auto") == 0;
}

/*
 * Finds the monitor, and loads it if it is a library; starts nothing. Returns 0, or -1 with the
 * reason.
 */
int waymark_monitor_find(struct waymark_error *error);

/*
 * Finds and starts the monitor. Returns 0, or -1 with the reason; 0 also if an optional one cannot
 * be found or started.
 */
int waymark_monitor_begin(const struct monitor_wish *wish, struct waymark_error *error);

/*
 * Takes over the wish, which has a `where`, until waymark_monitor_begin_postponed(). For
 * constructors only.
 */
int waymark_monitor_postpone(struct monitor_wish *wish, struct waymark_error *error);

bool waymark_monitor_is_postponed(void);

/* Starts the postponed monitors; reports those that fail. */
void waymark_monitor_begin_postponed(void (*say)(const struct waymark_error *warning));

void waymark_monitor_forget(struct monitor_wish *wish);

typedef int monitor_start(const struct waymark_monitor_options *, struct waymark_error *);

/*
 * Loads the monitor's library, which stays loaded. Returns its waymark_monitor_start(), or NULL
 * with the reason. Only libwaymark.so has this function; elsewhere it is NULL, so that a static
 * program needs no dlopen(), about which the linker warns.
 */
monitor_start *waymark_monitor_load(struct waymark_error *error);

#endif
