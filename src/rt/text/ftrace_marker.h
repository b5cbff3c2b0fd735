/* SPDX-License-Identifier: MIT */
/*
 * The kernel's trace_marker: a line written to it becomes an event of the kernel's
 * trace. The first event finds and opens it, and so does one that finds it closed by
 * the program. No lock: threads and handlers that open it at once each get a
 * descriptor, of which one is kept.
 *
 *	ftrace.c         an event's text in the style that was chosen
 *	ftrace_marker.c  the open marker, and writes to it
 *	ftrace_find.c    finds and opens it, or reports why not
 */
#ifndef RT_TEXT_FTRACE_MARKER_H
#define RT_TEXT_FTRACE_MARKER_H

#include <stdbool.h>
#include <stddef.h>

#include <waymark/control.h>

/* The marker for one event. */
struct ftrace_marker {
	int fd;
	size_t max; /* bytes that the kernel takes in one write, with the newline */
};

/*
 * Finds the marker. False: there is none, and the event was counted as lost.
 * Any thread, any signal handler; may change errno.
 */
bool waymark_ftrace_marker(struct ftrace_marker *m);

/* Opens it now, before an event does. False: there is none, which was reported once. */
bool waymark_ftrace_prepare(void);

/* Its descriptor, -1 while none is open. Any thread. */
int waymark_ftrace_descriptor(void);

/* Writes one line in one write(2), with its newline; counts it where it is lost. The same rule. */
void waymark_ftrace_write(const struct ftrace_marker *m, const char *line, size_t len);

/*
 * Finds the marker and opens it; `max` gets the most bytes of one write. -1: none could be opened,
 * which was reported once.
 */
int waymark_ftrace_open(size_t *max);

/* True if an event has used the marker: the instance can then not be changed. */
bool waymark_ftrace_has_begun(void);

/* Each of these is reported once. */
enum ftrace_trouble {
	FTRACE_NO_MARKER, /* it cannot be opened */
	FTRACE_OFF, /* the kernel takes nothing at present */
	FTRACE_ERROR, /* anything else */
};

/* True at the first call for each. */
bool waymark_ftrace_may_report(enum ftrace_trouble trouble);

#endif
