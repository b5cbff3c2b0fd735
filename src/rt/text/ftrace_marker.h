/* SPDX-License-Identifier: MIT */
/*
 * The kernel's trace_marker: a line written to it becomes an event of the kernel's
 * trace. It is looked for and opened by the first event, and again by one that
 * finds it closed by the program. No lock: threads and handlers that look for it
 * at once each open it, and one of them is kept.
 *
 *	ftrace.c         an event: its text, its style
 *	ftrace_marker.c  the open file, and what is written to it
 *	ftrace_find.c    where it is, what is wrong if it cannot be opened
 */
#ifndef RT_TEXT_FTRACE_MARKER_H
#define RT_TEXT_FTRACE_MARKER_H

#include <stdbool.h>
#include <stddef.h>

#include <waymark/control.h>

/* What an event is written to: good for this one event only. */
struct ftrace_marker {
	int fd;
	size_t max; /* what the kernel takes in one piece, the newline counted in */
};

/*
 * Finds the marker. False: there is none, and the event has been counted as lost.
 * Any thread, any signal handler; may change errno.
 */
bool waymark_ftrace_marker(struct ftrace_marker *m);

/* Opens it now, before an event looks for it. False: there is none, which has been told once. */
bool waymark_ftrace_prepare(void);

/* Its descriptor, -1 while none is open. Any thread. */
int waymark_ftrace_descriptor(void);

/* Writes one line in one write(2), newline included; what is lost is counted. The same rule. */
void waymark_ftrace_write(const struct ftrace_marker *m, const char *line, size_t len);

/*
 * Looks for the marker in every place where it may be and opens it; `max` gets
 * what it takes. -1: none could be opened, which has been told once.
 */
int waymark_ftrace_open(size_t *max);

/* Whether an event has looked for the marker: the instance then stays. */
bool waymark_ftrace_has_begun(void);

/* What is told of in one line, once each. */
enum ftrace_trouble {
	FTRACE_NO_MARKER, /* it cannot be opened */
	FTRACE_OFF, /* the kernel takes nothing at present */
	FTRACE_ERROR, /* anything else */
};

/* True for the first who asks. */
bool waymark_ftrace_may_tell(enum ftrace_trouble trouble);

#endif
