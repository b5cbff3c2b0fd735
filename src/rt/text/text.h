/* SPDX-License-Identifier: MIT */
/*
 * An event as a line of text, for the backends that write it with one system call,
 * without malloc:
 *
 *	<prefix><name> <message>		of a printf format
 *	<prefix><mark>[<name>] <message>	of a message with braces
 *
 * A line is made in 768 bytes of the stack, or in mapped memory where they are too
 * few. A line longer than its style allows is cut and ends in "...". The mark shows
 * whether a scope begins or ends; the line of its end, unless it is asynchronous, is
 * the mark alone.
 */
#ifndef RT_TEXT_TEXT_H
#define RT_TEXT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <waymark/record.h>

#include "rt/host/line.h"

/* How a backend's lines differ from others'. */
struct text_style {
	/* Prints what comes before the event's name. `context` is that of the call. */
	void (*print_prefix)(struct line *l, const void *context);
	/* Takes the line, of which the last byte is a newline. */
	void (*write)(const char *text, size_t len, const void *context);
	size_t max; /* bytes of the longest line, with its newline */
	bool has_brackets; /* `[name] message` of printf formats, too */
	bool keeps_lines; /* a message with braces may have several lines */
	bool hides_mark; /* the prefix shows it */
	bool hides_bars; /* a `|` would end the message: `/` is shown */
	const char *tail; /* appended to the message, never cut; NULL: none */
};

/*
 * Makes the line of an event and writes it. Keeps errno. Any thread, any signal
 * handler, as far as vsnprintf() is for those: some 2 KiB of stack, more for wide fields.
 */
void waymark_text_write(const struct text_style *style, const void *context,
	const struct waymark_event *event, const char *fmt, va_list args) PRINTF(4, 0);

/* The same of a message with braces; in handlers as far as callbacks of its values allow. */
void waymark_text_write_message(const struct text_style *style, const void *context,
	const struct waymark_event *event, const struct waymark_message *m);

/* Appends `[name] message`, without a mark. The same rule. */
void waymark_text_put(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m);

#endif
