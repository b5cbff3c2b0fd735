/* SPDX-License-Identifier: MIT */
/* How trace points of waymark/scope.h are printed. Any thread, any signal handler. */
#ifndef RT_TEXT_SITE_TEXT_H
#define RT_TEXT_SITE_TEXT_H

#include <waymark/record.h>

#include "rt/host/line.h"

/* The backends that take a text. */
#define SITE_PRINTING_BACKENDS (WAYMARK_LOG | WAYMARK_SYSLOG | WAYMARK_FTRACE | WAYMARK_HITRACE)

/* To those of them that are among `on`. */
void waymark_site_hand_over(
	const struct waymark_event *event, const struct waymark_message *m, unsigned int on);

/*
 * The event as one line:
 *
 *	<id> <category> Enter: <name> - (<expression>: <value>)(<expression>: <value>)
 *	<id> <category> Exit: <name>
 */
void waymark_site_put(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m);

/*
 * The same for who says otherwise what it is: the event's name, and what stands behind it. Of
 * a flow its name alone, by which the tools that read such lines find its end, and of a
 * counter.
 */
void waymark_site_put_body(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m);

/* Whether it is a counter, and its value then, as a number. */
bool waymark_site_is_counter(const struct waymark_event *event);
void waymark_site_put_value(struct line *l, const struct waymark_message *m);

#endif
