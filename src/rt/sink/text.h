/* SPDX-License-Identifier: MIT */
/*
 * An event as a line of text, for the backends that hand it over with one system
 * call: `<prefix><name> <message>`, without malloc. It is made in 768 bytes of the
 * stack and, where they do not hold it, in memory that is mapped for it. A line
 * that is longer than its style allows is cut and ends in "...".
 */
#ifndef RT_SINK_TEXT_H
#define RT_SINK_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include <waymark/record.h>

#include "rt/host/line.h"

/* What is a backend's own of a line. */
struct text_style {
	/* Prints what comes before the event's name. `context` is that of the call. */
	void (*print_prefix)(struct line *l, const void *context);
	/* Takes the line, of which the last byte is a newline. */
	void (*write)(const char *text, size_t len, const void *context);
	size_t max; /* the longest line, its newline counted in */
};

/*
 * Makes the line of an event and writes it. Keeps errno. Any thread, any signal
 * handler, as far as vsnprintf() is for those: some 2 KiB of stack, more for wide fields.
 */
void waymark_text_write(const struct text_style *style, const void *context,
	const struct waymark_event *event, const char *fmt, va_list args) PRINTF(4, 0);

#endif
