/* SPDX-License-Identifier: MIT */
/* Splits lists of names, and compares them with the events that a session has read. */
#include "cmd/names.h"

#include <string.h>

#include "text/nearest.h"

int names_take(struct names *n, struct session *s, const struct command *command, const char *text)
{
	struct arena *arena = &s->declarations.model.arena;

	for (;; text++) {
		size_t length = strcspn(text, ",");

		if (length == 0) {
			return arguments_bad(command, "--fields: the name of a field is missing");
		}
		vec_push(n, arena_strndup(arena, text, length));
		text += length;
		if (!*text) {
			return 0;
		}
	}
}

/* Returns the event or category nearest to a mistyped name; NULL if none is near. */
static const char *nearest_event(struct session *s, const char *pattern)
{
	struct arena *arena = &s->declarations.model.arena;
	VEC(const char *) names = { 0 };

	vec_foreach (struct event_class **, it, &s->reader->classes.all) {
		size_t category = strcspn((*it)->name, ":");

		vec_push(&names, (*it)->name);
		if ((*it)->name[category]) {
			vec_push(&names, arena_strndup(arena, (*it)->name, category));
		}
	}
	const char *name = names.count ? nearest_name((struct span){ pattern, strlen(pattern) },
						 names.items, names.count)
				       : NULL;

	vec_fini(&names);
	return name;
}

size_t names_check_events(struct session *s)
{
	size_t unmatched = 0;

	vec_foreach (const struct name_pattern *, pattern, &s->filter.patterns) {
		bool met = false;

		vec_foreach (struct event_class **, it, &s->reader->classes.all) {
			met = met || name_pattern_meets(pattern, (*it)->name);
		}
		if (!met) {
			const char *name = nearest_event(s, pattern->text);

			session_say(s, "no event's name matches '%s'%s%s%s", pattern->text,
				name ? ": did you mean '" : "", name ? name : "", name ? "'?" : "");
			unmatched++;
		}
	}
	return unmatched;
}

const char *names_nearest_field(const struct reader *r, const char *name)
{
	struct nearest near = nearest_begin(name, strlen(name));

	vec_foreach (struct event_class *const *, it, &r->classes.all) {
		for (size_t i = 0; (*it)->event && i < (*it)->event->arg_count; i++) {
			nearest_offer(&near, (*it)->event->args[i].name);
		}
	}
	return nearest_is_near(&near) || near.distance == 0 ? near.name : NULL;
}

size_t names_check_fields(struct session *s, const struct names *fields)
{
	size_t unknown = 0;

	vec_foreach (const char *const *, it, fields) {
		const char *near = names_nearest_field(s->reader, *it);

		if (!near || strcmp(near, *it) != 0) {
			session_say(s, "no event has a field '%s'%s%s%s", *it,
				near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
			unknown++;
		}
	}
	return unknown;
}
