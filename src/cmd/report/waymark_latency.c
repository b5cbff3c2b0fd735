/* SPDX-License-Identifier: MIT */
/* `waymark latency`: how long it is from one event to another. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/latency.h"
#include "base/arena.h"
#include "base/glob.h"
#include "cmd/arguments.h"
#include "cmd/name_option.h"
#include "cmd/report/latency_by.h"
#include "cmd/report/report.h"
#include "cmd/session.h"
#include "cmd/waymark.h"
#include "text/scan.h"
#include "view/message/message.h"

/* Of 200 bytes each. */
#define MAX_OPEN_DEFAULT 10000000

enum { KEY_FROM = REPORT_KEY_OWN, KEY_TO, KEY_BY, KEY_PER, KEY_ACROSS, KEY_MAX_OPEN };

static const struct argument rows[] = {
	{ KEY_FROM, "from", "EVENT", "what begins: a name, * and ?, or /REGEX/" },
	{ KEY_TO, "to", "EVENT", "what ends" },
	{ KEY_BY, "by", "FIELDS",
		"the fields, with commas, whose values tell pairs apart;\n"
		"ONE=OTHER where what ends calls it otherwise;\n"
		"@pid and @tid: the record's (without: by @tid, or\n"
		"by the one field that both have where that pairs none)" },
	{ KEY_PER, "per", "FIELD", "a line for each value of this field of what begins" },
	{ KEY_ACROSS, "across", NULL, "also pairs of two processes" },
	{ KEY_MAX_OPEN, "max-open", "N", "give up when more have not ended (10000000)" },
	{ REPORT_KEY_SORT, "sort", "BY", "total; count; average; max" },
	REPORT_ROWS_SHOWN,
	SELECTION_ROWS,
	REPORT_ROWS_OUTPUT,
	{ 0 },
};

static const struct command command = {
	.name = "waymark latency",
	.usage = "--from EVENT --to EVENT [--by FIELDS] [OPTION...] TRACE...",
	.about =
		"Says how long it was from one event to another: a line for each pair of names, the\n"
		"longest in all first. A pair is of one process, and has the same values in its\n"
		"fields. TRACE is a file or a directory; - is standard input.",
	.arguments = rows,
};

struct options {
	struct report_options report;
	struct latency_options latency;
	bool is_default; /* without --by */
	struct name_pattern events[LATENCY_SIDES];
	struct arena arena;
};

static bool is_event(void *options, enum latency_side side, const char *name)
{
	const struct options *o = options;

	return name_pattern_meets(&o->events[side], name);
}

static int take_event(struct options *o, enum latency_side side)
{
	int failed = name_option_take(&o->events[side], &command, optarg);

	o->latency.events[side] = optarg;
	o->latency.is_exact[side] =
		!failed && !o->events[side].is_regex && !glob_is_pattern(optarg);
	return failed;
}

/* ONE, or ONE=OTHER. */
static int take_field(struct options *o, const char *text, size_t length)
{
	struct latency_options *l = &o->latency;
	const char *equals = memchr(text, '=', length);
	size_t first = equals ? (size_t)(equals - text) : length;
	const char *second = equals ? equals + 1 : text;
	size_t rest = equals ? length - first - 1 : length;

	if (first == 0 || rest == 0) {
		return arguments_bad(
			&command, "'%.*s' is not a field, nor FIELD=FIELD", (int)length, text);
	}
	if (l->by_count == LATENCY_FIELDS_MAX) {
		return arguments_bad(
			&command, "at most %d fields can tell pairs apart", LATENCY_FIELDS_MAX);
	}
	l->by[LATENCY_FROM][l->by_count] = arena_strndup(&o->arena, text, first);
	l->by[LATENCY_TO][l->by_count++] = arena_strndup(&o->arena, second, rest);
	return 0;
}

static int take_fields(struct options *o, const char *text)
{
	for (;;) {
		size_t length = strcspn(text, ",");
		int failed = take_field(o, text, length);

		if (failed || !text[length]) {
			return failed;
		}
		text += length + 1;
	}
}

static int take_max_open(struct options *o, const char *text)
{
	char *end;

	errno = 0;
	o->latency.max_open = strtoul(text, &end, 10);
	if (!is_digit(*text) || *end || errno || o->latency.max_open == 0) {
		return arguments_bad(&command, "'%s' is not a number of open pairs", text);
	}
	return 0;
}

static int take(struct session *s, struct options *o, int key)
{
	switch (key) {
	case KEY_FROM:
		return take_event(o, LATENCY_FROM);
	case KEY_TO:
		return take_event(o, LATENCY_TO);
	case KEY_BY:
		return take_fields(o, optarg);
	case KEY_PER:
		o->latency.per = optarg;
		return 0;
	case KEY_ACROSS:
		o->latency.is_across = true;
		return 0;
	case KEY_MAX_OPEN:
		return take_max_open(o, optarg);
	default:
		return report_take(&o->report, s, &command, key);
	}
}

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct session *s, struct options *o, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(s, o, key);

		if (failed) {
			return failed;
		}
	}
	if (!o->latency.events[LATENCY_FROM] || !o->latency.events[LATENCY_TO]) {
		return arguments_bad(&command, "%s is missing",
			o->latency.events[LATENCY_FROM] ? "--to" : "--from");
	}
	if (o->report.order == REPORT_SELF) {
		return arguments_bad(&command, "only scopes have a time of their own");
	}
	if (o->latency.is_across && o->latency.by_count == 0) {
		return arguments_bad(
			&command, "--across goes with --by: no thread is in two processes");
	}
	o->is_default = o->latency.by_count == 0;
	if (o->is_default) {
		take_fields(o, "@tid");
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

/* The event that was meant, among those of the trace. */
static void say_unknown(struct session *s, const char *event)
{
	const struct class_table *classes = &s->reader->classes;
	VEC(const char *) names = { 0 };

	vec_foreach (struct event_class *const *, c, &classes->all) {
		vec_push(&names, (*c)->name);
	}
	name_option_unknown(s, "there is no event", event, names.items, names.count);
	vec_fini(&names);
}

/* Whether there is such an event, which need not have happened. */
static bool is_declared(struct session *s, const struct latency_options *o, enum latency_side side)
{
	vec_foreach (struct event *const *, e, &s->declarations.model.events) {
		if (o->is_event(o->data, side, (*e)->name)) {
			return true;
		}
	}
	return false;
}

static bool has_events(struct session *s, const struct latency *l)
{
	for (enum latency_side side = LATENCY_FROM; side < LATENCY_SIDES; side++) {
		if (!latency_has(l, side) && !is_declared(s, l->options, side)) {
			say_unknown(s, l->options->events[side]);
			return false;
		}
	}
	return true;
}

/* Where nothing more was added, for the events that it has. */
static void see_rest(struct session *s)
{
	struct record records[SESSION_FEW];

	while (selection_next_few(s, records)) {
	}
}

static void add_all(struct session *s, struct options *o)
{
	struct latency latency;

	latency_init(&latency, &o->latency, s->reader);
	latency_check(&latency);
	latency_add_all(s, &latency, 1);
	bool is_untold = o->is_default && latency.is_untold;

	if (is_untold) {
		see_rest(s);
	}
	if (*latency.error && !is_untold) {
		session_say(s, "%s", latency.error);
		s->problems++;
	} else if (!has_events(s, &latency)) {
		/* That was reported. */
	} else if (!o->is_default) {
		report_put(s, &latency.report, &o->report);
	} else if (!latency_put_default(s, &latency, &o->report)) {
		s->problems++;
	}
	latency_fini(&latency);
}

int waymark_latency(int argc, char **argv)
{
	struct session s;
	struct options options = { .latency = { .max_open = MAX_OPEN_DEFAULT } };

	options.latency.is_event = is_event;
	options.latency.data = &options;
	options.latency.text = message_value_text;
	session_init(&s, command.name);
	arena_init(&options.arena);
	report_options_init(&options.report);
	int failed = parse(&s, &options, argc, argv);
	int status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;

	if (!failed && session_open_several(&s, argv + optind, options.report.output)) {
		add_all(&s, &options);
	}
	int ended = session_end(&s);

	for (int side = LATENCY_FROM; side < LATENCY_SIDES; side++) {
		name_pattern_fini(&options.events[side]);
	}
	arena_fini(&options.arena);
	return failed ? status : ended;
}
