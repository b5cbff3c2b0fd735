/* SPDX-License-Identifier: MIT */
/* Trace points of waymark/scope.h as text. Any thread, any signal handler. */
#ifndef RT_TEXT_SITE_TEXT_H
#define RT_TEXT_SITE_TEXT_H

#include <waymark/record.h>

#include "brace/brace.h"
#include "rt/host/line.h"

/* The backends that print trace points. */
#define SITE_PRINTING_BIT(bit, upper, lower, kind, help) WAYMARK_IF_PRINTS_##kind(| WAYMARK_##upper)
#define SITE_PRINTING_BACKENDS (0 WAYMARK_ALL_BACKENDS(SITE_PRINTING_BIT))

/*
 * Passes a trace point to those of these backends that are in `on`. values[0] is the number of its
 * scope or flow; the `count` values of its arguments follow.
 */
void waymark_site_show(const struct waymark_event *event, const struct waymark_debug *values,
	uint32_t count, unsigned int on, enum waymark_mark mark);

/*
 * Appends the event as one line:
 *
 *	<id> <category> Enter: <name> - (<expression>: <value>)(<expression>: <value>)
 *	<id> <category> Exit: <name>
 */
void waymark_site_put(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m);

/*
 * Appends the event's name and arguments, for backends whose own grammar shows begin and end. For a
 * flow or counter appends only the name, by which readers of such lines pair a flow's end with its
 * begin.
 */
void waymark_site_put_body(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m);

/*
 * The first returns true if the event is a counter; the second appends a counter's value as a
 * number.
 */
bool waymark_site_is_counter(const struct waymark_event *event);
void waymark_site_put_value(struct line *l, const struct waymark_message *m);

/* Appends rendered text to the struct line `line`; the callback of line_sink(). */
void waymark_line_put_rendered(void *line, const char *text, size_t length);

/* Makes a sink that appends rendered values to the line, and escapes newlines in them. */
static inline void line_sink(struct brace_sink *sink, struct line *l)
{
	brace_sink_callback(sink, waymark_line_put_rendered, l);
	sink->escapes_lines = true;
	sink->wanted = l->size;
}

#endif
