/* SPDX-License-Identifier: MIT */
/* Options that set the filter of a session. Called by the commands that read traces. */
#include "cmd/selection.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/escaped.h"
#include "read/where.h"
#include "text/nearest.h"

/* The times of all records of the traces. */
struct times {
	uint64_t records;
	int64_t first_ns;
	int64_t last_ns;
};

static int add_id(struct filter_ids *ids, const char *what, const struct command *command)
{
	uint64_t id;

	if (!arguments_number(optarg, UINT32_MAX, &id)) {
		return arguments_bad(command, "'%s' is not a %s id", optarg, what);
	}
	vec_push(ids, (uint32_t)id);
	return 0;
}

static int set_end(struct filter_time *end, const struct command *command)
{
	if (filter_parse_time(end, optarg)) {
		return 0;
	}
	return arguments_bad(command,
		"'%s' is not a time: SEC[.FRACTION] or +SEC[.FRACTION], in decimal digits", optarg);
}

static int set_where(struct filter *f, const struct command *command)
{
	struct expr_error error = { 0 };

	if (f->where) {
		return arguments_bad(command, "--where is given twice: connect both by &&");
	}
	f->where = where_parse(optarg, &error);
	if (f->where) {
		return 0;
	}
	escaped_say(
		command->name, "--where: %s%s%s", error.text, *error.help ? ": " : "", error.help);
	escaped_caret(stderr, optarg, error.at, error.length);
	return ARGUMENTS_BAD;
}

int selection_take(struct session *s, const struct command *command, int key)
{
	switch (key) {
	case SELECTION_KEY_SINCE:
		return set_end(&s->filter.from, command);
	case SELECTION_KEY_UNTIL:
		return set_end(&s->filter.to, command);
	case SELECTION_KEY_WHERE:
		return set_where(&s->filter, command);
	case SELECTION_KEY_PID:
		return add_id(&s->filter.pids, "process", command);
	default:
		return add_id(&s->filter.tids, "thread", command);
	}
}

void selection_since_now(struct session *s)
{
	s->filter.from = (struct filter_time){ .ns = (int64_t)clock_now_ns(), .set = true };
}

size_t selection_next_few(struct session *s, struct record *records)
{
	bool all = filter_is_empty(&s->filter);
	size_t count;
	size_t kept = 0;

	while (kept == 0 && (count = session_next_few(s, records))) {
		kept = all ? count : filter_keep(&s->filter, records, count);
	}
	return kept;
}

static int bad_pattern(const struct command *command, const char *text, const char *why)
{
	return arguments_bad(command, "'%s' is not a regular expression: %s", text, why);
}

int selection_take_name(struct name_pattern *p, const struct command *command, const char *text)
{
	char why[128];

	name_pattern_fini(p);
	return name_pattern_read(p, text, why, sizeof(why)) ? 0 : bad_pattern(command, text, why);
}

int selection_take_counter(struct session *s, const struct command *command,
	struct name_pattern *event, const char **field)
{
	struct arena *arena = &s->declarations.model.arena;
	const char *point = strrchr(optarg, '.');

	if (!point || point == optarg || !point[1]) {
		return arguments_bad(command, "--counter: '%s' is not EVENT.FIELD", optarg);
	}
	*field = point + 1;
	return selection_take_name(
		event, command, arena_strndup(arena, optarg, (size_t)(point - optarg)));
}

int selection_add_name(struct filter *f, const struct command *command, const char *text)
{
	char why[128];

	return filter_add_pattern(f, text, why, sizeof(why)) ? 0 : bad_pattern(command, text, why);
}

void selection_no_name(struct session *s, const char *what, const char *pattern,
	const char *const *names, size_t count)
{
	const char *near = nearest_name((struct span){ pattern, strlen(pattern) }, names, count);

	session_say(s, "%s '%s'%s%s%s", what, pattern, near ? "; did you mean '" : "",
		near ? near : "", near ? "'?" : "");
	s->problems++;
}

/* ---- Notes on what was not selected ---- */

/* Writes seconds to a text of 32 bytes, and returns it. */
static const char *seconds(char *text, int64_t ns)
{
	uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	snprintf(text, 32, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", n / CLOCK_NS_PER_S,
		n % CLOCK_NS_PER_S);
	return text;
}

/* Adds the times of records. */
static void see(struct times *t, const struct record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t ns = (int64_t)records[i].ns;

		t->first_ns = t->records == 0 || ns < t->first_ns ? ns : t->first_ns;
		t->last_ns = t->records == 0 || ns > t->last_ns ? ns : t->last_ns;
		t->records++;
	}
}

void selection_explain_none(struct session *s)
{
	struct record records[SESSION_FEW];
	struct times t = { 0 };
	struct reader *before;
	char from[32];
	char to[32];
	size_t count;

	if (filter_is_empty(&s->filter)) {
		return;
	}
	s->reads_all = true;
	before = session_read_again(s);
	while (before && (count = session_next_few(s, records))) {
		see(&t, records, count);
	}
	reader_close(before);
	if (t.records > 0) {
		session_say(s,
			"no selected event is among the %" PRIu64
			" records: their times are %s to %s s",
			t.records, seconds(from, t.first_ns), seconds(to, t.last_ns));
	}
}

void selection_no_scopes(struct session *s)
{
	if (!filter_is_empty(&s->filter)) {
		session_say(s, "no scopes are among the selected records");
		return;
	}
	session_say(s,
		"it has no scopes: make them with WAYMARK_SCOPE() of waymark-trace-points(3), or "
		"declare them, see waymark-scopes(3); waymark latency measures the time between "
		"any two events");
}

/* ---- Names of events and fields ---- */

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
