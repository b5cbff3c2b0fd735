/* SPDX-License-Identifier: MIT */
/* `waymark print`: a trace as lines of text. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "cmd/arguments.h"
#include "cmd/session.h"
#include "cmd/terminal.h"
#include "cmd/waymark.h"
#include "read/filter.h"
#include "view/lines.h"

/* After so many records is looked for the signal that ends it. */
#define SIGNAL_RECORDS 1024

enum {
	KEY_EVENT = ARGUMENT_LONG,
	KEY_FROM,
	KEY_TO,
	KEY_PID,
	KEY_THREAD,
	KEY_TID,
	KEY_TIME,
	KEY_JSON,
	KEY_COLOUR,
	KEY_NEW
};

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE", "the events' declarations; may be repeated" },
	{ KEY_EVENT, "event", "PATTERN", "only these events (* and ?); may be repeated" },
	{ KEY_FROM, "from", "TIME", "only from this time on: SEC[.FRACTION] since boot," },
	{ KEY_TO, "to", "TIME", "and up to this one; +SEC counts from the first record" },
	{ KEY_PID, "pid", "PID", "only this process; may be repeated" },
	{ KEY_THREAD, "thread", "TID", "only this thread; may be repeated" },
	{ KEY_TID, "tid", NULL, "show the thread, too: PID/TID" },
	{ KEY_TIME, "time", "FORM",
		"abs: since boot (default); rel: since the first\n"
		"record; delta: since the line before; wall: date\n"
		"and time (UTC)" },
	{ KEY_JSON, "json", NULL, "a JSON object a line, for programs" },
	{ KEY_COLOUR, "color", "WHEN", "auto: on a terminal (default); always; never" },
	{ 'f', "follow", NULL,
		"wait for what comes, until the traced program ends, or\n"
		"SIGINT; a trace that does not exist is waited for" },
	{ KEY_NEW, "new", NULL, "with --follow: only what comes from now on" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark print",
	.usage = "[-e DECLARATIONS] [OPTION...] TRACE...",
	.about =
		"Shows traces' events, a line each: time, process, name, message; those of several\n"
		"traces in the order of time. Lines that begin with # tell where events were lost.\n"
		"TRACE is a file or a directory; - is standard input. The exit status is 1 when a\n"
		"part of a trace could not be read.",
	.arguments = rows,
};

struct print {
	struct session session;
	struct filter filter;
	enum timestamp_mode time;
	enum terminal_when colour;
	const struct lines_style *style;
	const char *output;
	bool follow;
	bool only_new;
	bool tid;
	struct lines view;
};

static int add_id(struct filter_ids *ids, const char *what, const char *text)
{
	char *end;
	unsigned long id = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-' || id > UINT32_MAX) {
		return arguments_bad(&command, "'%s' is not a %s id", text, what);
	}
	vec_push(ids, (uint32_t)id);
	return 0;
}

static int set_time(struct print *p, const char *text)
{
	static const char *const names[] = {
		[TIMESTAMP_ABSOLUTE] = "abs",
		[TIMESTAMP_RELATIVE] = "rel",
		[TIMESTAMP_DELTA] = "delta",
		[TIMESTAMP_WALL] = "wall",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], text) == 0) {
			p->time = (enum timestamp_mode)i;
			return 0;
		}
	}
	return arguments_bad(&command, "--time is abs, rel, delta or wall, not '%s'", text);
}

static int set_colour(struct print *p, const char *text)
{
	if (terminal_when_parse(&p->colour, text)) {
		return 0;
	}
	return arguments_bad(&command, "--color is auto, always or never, not '%s'", text);
}

static int set_end(struct filter_time *end, const char *text)
{
	if (filter_parse_time(end, text)) {
		return 0;
	}
	return arguments_bad(
		&command, "'%s' is not a time: SEC[.FRACTION] or +SEC[.FRACTION]", text);
}

/* Takes one option; returns 0, or what ends the run. */
static int take(struct print *p, int key)
{
	switch (key) {
	case 'e':
		return session_declare(&p->session, optarg) ? 0 : ARGUMENTS_BAD;
	case KEY_EVENT:
		vec_push(&p->filter.patterns, optarg);
		return 0;
	case KEY_FROM:
		return set_end(&p->filter.from, optarg);
	case KEY_TO:
		return set_end(&p->filter.to, optarg);
	case KEY_PID:
		return add_id(&p->filter.pids, "process", optarg);
	case KEY_THREAD:
		return add_id(&p->filter.tids, "thread", optarg);
	case KEY_TID:
		p->tid = true;
		return 0;
	case KEY_TIME:
		return set_time(p, optarg);
	case KEY_JSON:
		p->style = &lines_json;
		return 0;
	case KEY_COLOUR:
		return set_colour(p, optarg);
	case 'f':
		p->follow = true;
		return 0;
	case KEY_NEW:
		p->only_new = true;
		return 0;
	case 'o':
		p->output = optarg;
		return 0;
	default:
		return key;
	}
}

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct print *p, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(p, key);

		if (failed) {
			return failed;
		}
	}
	if (p->only_new && !p->follow) {
		return arguments_bad(&command, "--new goes with --follow");
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

static void print_records(struct print *p)
{
	bool all = filter_is_empty(&p->filter);
	struct session *s = &p->session;
	struct record records[SESSION_FEW];
	unsigned int calls = 0;
	size_t count;

	while (session_wanted(s) && (count = session_next_few(s, records))) {
		if (UNLIKELY(s->follow && ++calls % SIGNAL_RECORDS == 0) &&
			session_is_interrupted(s)) {
			break;
		}
		lines_see(&p->view, records);
		if (!all) {
			count = filter_keep(&p->filter, records, count);
		}
		lines_put_few(&p->view, records, count);
	}
}

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

/* A mistyped name shows nothing, and should say so. */
static void explain_unmatched(struct print *p)
{
	vec_foreach (const char **, pattern, &p->filter.patterns) {
		bool met = false;

		vec_foreach (struct event_class **, it, &p->session.reader->classes.all) {
			met = met || glob_match(*pattern, (*it)->name);
		}
		if (!met) {
			session_say(&p->session, "no event's name matches '%s'", *pattern);
		}
	}
}

/* The time of day is known where the trace says how it goes with the time since boot. */
static bool has_time(struct print *p)
{
	const struct reader *r = p->session.reader;

	for (size_t i = 0; p->time == TIMESTAMP_WALL && i < r->trace_count; i++) {
		if (!r->traces[i].has_realtime) {
			session_say(&p->session,
				"%s%sdoes not tell the time of day: no --time=wall",
				r->traces[i].path ? r->traces[i].path : "",
				r->traces[i].path ? ": " : "");
			return false;
		}
	}
	return true;
}

static void print_all(struct print *p)
{
	struct session *s = &p->session;

	lines_init(&p->view, &s->out, s->reader, p->style, p->time);
	p->view.colour = terminal_wants_colour(p->colour, s->out_fd);
	if (p->tid) {
		lines_show_tid(&p->view);
	}
	print_records(p);
	if (s->follow && !s->is_ended && session_wanted(s) && !s->damaged) {
		session_say(s, "the traced program has ended");
	}
	explain_undeclared(p);
	explain_unmatched(p);
	lines_fini(&p->view);
}

static int run(struct print *p, char *const *traces)
{
	struct session *s = &p->session;

	if (p->follow) {
		session_follow(s, p->only_new ? FOLLOW_NEW : FOLLOW_ALL);
	}
	if (session_open_several(s, traces, p->output)) {
		if (has_time(p)) {
			print_all(p);
		} else {
			s->damaged = true;
		}
	}
	return session_end(s);
}

int waymark_print(int argc, char **argv)
{
	struct print p = { .time = TIMESTAMP_ABSOLUTE, .style = &lines_text };
	int status;

	session_init(&p.session, command.name);
	filter_init(&p.filter);
	int failed = parse(&p, argc, argv);

	if (failed) {
		session_end(&p.session);
		status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	} else {
		status = run(&p, argv + optind);
	}
	filter_fini(&p.filter);
	return status;
}
