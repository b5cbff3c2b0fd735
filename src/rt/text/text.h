/* SPDX-License-Identifier: MIT */
/*
 * An event as a line of text, for the backends that write it with one system call, without malloc:
 *
 *	<prefix><name> <message>		of a printf format
 *	<prefix><mark>[<name>] <message>	of a message with braces
 *
 * A line is made in 768 bytes of the stack, or in mapped memory if these are too few. A line longer
 * than its style allows is cut and ends in "...". The mark shows whether a scope begins or ends;
 * the line of its end, unless it is asynchronous, has only the mark.
 */
#ifndef RT_TEXT_TEXT_H
#define RT_TEXT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <waymark/record.h>

#include "rt/host/line.h"

/* How a backend's lines differ from those of others. */
struct text_style {
	/* Prints what comes before the event's name. `context` is the one passed to the call. */
	void (*print_prefix)(struct line *l, const void *context);
	/* Writes the line, whose last byte is a newline. */
	void (*write)(const char *text, size_t len, const void *context);
	size_t max; /* bytes of the longest line, with its newline */
	bool has_brackets; /* `[name] message` also for printf formats */
	bool keeps_lines; /* a message with braces may have several lines */
	bool hides_mark; /* the prefix already shows the mark */
	bool hides_bars; /* a `|`, which would end the message, is shown as `/` */
	const char *tail; /* appended to the message, never cut; NULL: none */
};

/*
 * Makes the line of an event and writes it. Keeps errno. Any thread; as async-signal-safe as
 * vsnprintf(), which takes some 2 KiB of stack, more for wide fields.
 */
void waymark_text_write(const struct text_style *style, const void *context,
	const struct waymark_event *event, const char *fmt, va_list args) PRINTF(4, 0);

/* The same for a message with braces; as async-signal-safe as the callbacks of its values. */
void waymark_text_write_message(const struct text_style *style, const void *context,
	const struct waymark_event *event, const struct waymark_message *m);

/* Appends `[name] message`, without a mark. As async-signal-safe as the callbacks of its values. */
void waymark_text_put(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m);

#endif
