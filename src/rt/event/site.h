/* SPDX-License-Identifier: MIT */
/*
 * What a trace point of waymark/scope.h says of itself, see waymark/site.h: its arguments as
 * they are written in the source, which are told apart here as the preprocessor does.
 */
#ifndef RT_EVENT_SITE_H
#define RT_EVENT_SITE_H

#include <waymark/site.h>

static inline const struct waymark_site *site_of(const struct waymark_event *event)
{
	return (const struct waymark_site *)event;
}

/* Whether its first field is none of the program's: the number of a scope or flow. */
static inline bool site_has_number(const struct waymark_site *site)
{
	return site->kind <= WAYMARK_SITE_STEP;
}

/* A part of the source text, in which runs of blanks may be of any kind. */
struct site_span {
	const char *text;
	size_t length;
};

/*
 * The next of the arguments in *source, which begins with the name and moves on; at the end
 * false, and an empty one. Any context.
 */
bool waymark_site_next(const char **source, struct site_span *argument);

/* The name of the category, whose length this is, and what the event is called within it. */
size_t waymark_site_category(const struct waymark_event *event, const char **name);

/*
 * The event as it would be declared: names and types of its arguments, and a message that
 * shows them. To be freed by the caller; NULL: no memory.
 */
struct waymark_event *waymark_site_declare(const struct waymark_event *event);

#endif
