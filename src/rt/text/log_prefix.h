/* SPDX-License-Identifier: MIT */
/* The prefixes of log lines: thread, time, place. One of them is chosen for the process. */
#ifndef RT_TEXT_LOG_PREFIX_H
#define RT_TEXT_LOG_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/host/line.h"

struct log_prefix;

/* A line's prefix, and what it may show besides time and thread. */
struct log_stamp {
	const struct log_prefix *prefix;
	const char *file; /* of the call if known, otherwise of the declaration */
	uint32_t line;
};

struct log_prefix {
	const char *name;
	bool has_brackets; /* every event's name is printed as `[name]` after it */
	/* Prints the prefix. Any thread, any signal handler. */
	void (*print)(struct line *l, const struct log_stamp *stamp);
};

/* Returns the name as in the table; NULL if there is no such prefix. */
const char *waymark_log_prefix_name(const char *name);

/*
 * Chooses a name that the function above returned. Lines begun before keep the old one. Control
 * calls.
 */
void waymark_log_prefix_choose(const char *name);

/* Returns the chosen prefix. Any thread, any signal handler. */
const struct log_prefix *waymark_log_prefix_chosen(void);

#endif
