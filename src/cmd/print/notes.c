/* SPDX-License-Identifier: MIT */
/*
 * What `waymark print` says behind its lines: why some are missing, or odd. See
 * cmd/print/print.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/print/print.h"
#include "text/nearest.h"

#define NS_PER_S INT64_C(1000000000)

/* Why some lines are numbers only. */
static void explain_undeclared(struct print *p)
{
	const struct event_class *first = NULL;
	size_t more = 0;
	char others[48] = "";

	vec_foreach (struct event_class **, it, &p->session.reader->classes.all) {
		if (!(*it)->event && lines_message(&p->view, *it)) {
			more += first != NULL;
			first = first ? first : *it;
		}
	}
	if (more > 0) {
		snprintf(others, sizeof(others), " and %zu other kinds of events", more);
	}
	if (first) {
		session_say(&p->session,
			"no declaration of '%s'%s: shown as recorded, in hex; "
			"give -e trace-events-all",
			message_name(&p->session.declarations.model.arena, first), others);
	}
}

/* What a mistyped name, of an event or category, was meant to be; NULL: none is like it. */
static const char *nearest(struct print *p, const char *pattern)
{
	struct arena *arena = &p->session.declarations.model.arena;
	VEC(const char *) names = { 0 };

	vec_foreach (struct event_class **, it, &p->session.reader->classes.all) {
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

/* A mistyped name shows nothing, and should say so. Returns how many there are. */
static size_t explain_unmatched(struct print *p)
{
	size_t unmatched = 0;

	vec_foreach (const struct name_pattern *, pattern, &p->session.filter.patterns) {
		bool met = false;

		vec_foreach (struct event_class **, it, &p->session.reader->classes.all) {
			met = met || name_pattern_meets(pattern, (*it)->name);
		}
		if (!met) {
			const char *name = nearest(p, pattern->text);

			session_say(&p->session, "no event's name matches '%s'%s%s%s",
				pattern->text, name ? ": did you mean '" : "", name ? name : "",
				name ? "'?" : "");
			unmatched++;
		}
	}
	return unmatched;
}

/* Seconds, into a text of 32 bytes. */
static const char *seconds(char *text, int64_t ns)
{
	uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	snprintf(text, 32, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", n / NS_PER_S,
		n % NS_PER_S);
	return text;
}

/* A process, thread or time of which there is nothing. */
static void explain_empty(struct print *p)
{
	char from[32];
	char to[32];

	if (p->records > 0 && !p->has_selected) {
		session_say(&p->session,
			"none of the %" PRIu64
			" records is an event that was asked for: they are from %s to %s s",
			p->records, seconds(from, p->first_ns), seconds(to, p->last_ns));
	}
}

static const struct {
	const char *state;
	const char *note;
} states[] = {
	{ "running", "its process still runs: these are its events so far" },
	{ "killed",
		"its process was killed or did not exit(): a part of this is read from memory; waymark "
		"recover puts it into the files" },
	{ "unwritten",
		"its process ended and could not write all: a part of this is read from memory; waymark "
		"recover puts it into the files" },
	{ "unfinished", READ_UNFINISHED },
};

/* What there will be more of, or may be less of after the next boot. */
static void explain_states(struct print *p)
{
	const struct reader *r = p->session.reader;

	for (size_t i = 0; i < r->trace_count && !p->follow; i++) {
		const struct trace_info *t = &r->traces[i];

		for (size_t k = 0; k < ARRAY_SIZE(states) && t->state; k++) {
			if (strcmp(states[k].state, t->state) == 0) {
				session_say(&p->session, "%s%s%s", t->path ? t->path : "",
					t->path ? ": " : "", states[k].note);
			}
		}
	}
}

void print_notes(struct print *p)
{
	explain_undeclared(p);
	if (!p->names_are_known && explain_unmatched(p) == 0) {
		explain_empty(p);
	}
	explain_states(p);
}
