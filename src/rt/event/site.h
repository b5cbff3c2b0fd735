/* SPDX-License-Identifier: MIT */
/*
 * The descriptor of a trace point of waymark/scope.h, see waymark/site.h: its arguments as they
 * are written in the source, split here as the preprocessor does.
 */
#ifndef RT_EVENT_SITE_H
#define RT_EVENT_SITE_H

#include <waymark/site.h>

static inline const struct waymark_site *site_of(const struct waymark_event *event)
{
	return (const struct waymark_site *)event;
}

/*
 * Returns true if the first field is the number of a scope or flow, not an argument of the program.
 */
static inline bool site_has_number(const struct waymark_site *site)
{
	return site->kind <= WAYMARK_SITE_STEP;
}

/* A part of the source text. */
struct site_span {
	const char *text;
	size_t length;
};

/*
 * Takes the next argument from *source, which begins with the name, and moves *source on. At the
 * end returns false and an empty argument. Any context.
 */
bool waymark_site_next(const char **source, struct site_span *argument);

/* Returns the length of the category in the event's name; `name` gets the name within it. */
size_t waymark_site_category(const struct waymark_event *event, const char **name);

/*
 * Makes a declaration of the event: names and types of its arguments, and a message that shows
 * them. The caller frees it; NULL if memory ran out.
 */
struct waymark_event *waymark_site_declare(const struct waymark_event *event);

#endif
