/* SPDX-License-Identifier: MIT */
/*
 * The kernel's trace_marker: a line written to it becomes an event of the kernel's trace. The
 * marker is found and opened by the first event, and by an event after the program closed it. There
 * is no lock: threads and signal handlers that open it at the same time each get a descriptor, one
 * of which is kept.
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
	size_t max; /* bytes that the kernel accepts in one write, with the newline */
};

/*
 * Finds the marker. Returns false, and counts the event as lost, if there is none. Any thread, any
 * signal handler; may change errno.
 */
bool waymark_ftrace_marker(struct ftrace_marker *m);

/* Opens the marker now, before an event does. Returns false, after one report, if there is none. */
bool waymark_ftrace_prepare(void);

/* Returns its descriptor; -1 while none is open. Any thread. */
int waymark_ftrace_descriptor(void);

/*
 * Writes one line, with its newline, in one write(2); counts it if it is lost. Any thread, any
 * signal handler; may change errno.
 */
void waymark_ftrace_write(const struct ftrace_marker *m, const char *line, size_t len);

/*
 * Finds the marker and opens it; `max` gets the most bytes of one write. Returns -1, after one
 * report, if none could be opened.
 */
int waymark_ftrace_open(size_t *max);

/* Returns true if an event has used the marker: then the instance cannot be changed any more. */
bool waymark_ftrace_has_begun(void);

/* Troubles, each of which is reported once. */
enum ftrace_trouble {
	FTRACE_NO_MARKER, /* it cannot be opened */
	FTRACE_OFF, /* the kernel accepts nothing at present */
	FTRACE_ERROR, /* anything else */
};

/* Returns true at the first call for each trouble. */
bool waymark_ftrace_may_report(enum ftrace_trouble trouble);

#endif
