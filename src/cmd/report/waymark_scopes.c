/* SPDX-License-Identifier: MIT */
/*
 * `waymark scopes`: prints how long the scopes of a trace took, a row for each name. A name without
 * scopes is reported as a problem, since it is most likely misspelt.
 */
#include <getopt.h>
#include <stdlib.h>

#include "analyse/scopes.h"
#include "cmd/arguments.h"
#include "cmd/report/report.h"
#include "cmd/session.h"
#include "cmd/waymark.h"

enum { KEY_SCOPE = REPORT_KEY_OWN, KEY_BY };

static const struct argument rows[] = {
	{ KEY_SCOPE, "scope", "PATTERN",
		"only scopes whose name matches: a name, glob or /REGEX/" },
	{ KEY_BY, "by", "WHAT", "pid: a row for each name and process; thread: and thread" },
	{ REPORT_KEY_SORT, "sort", "BY",
		"total; count; average; max; self: sort key (default: total)" },
	REPORT_ROWS_SHOWN,
	SELECTION_ROWS,
	REPORT_ROW_WHERE("scopes"),
	REPORT_ROWS_OUTPUT,
	{ 0 },
};

static const struct command command = {
	.name = "waymark scopes",
	.usage = "[OPTION...] TRACE...",
	.about =
		"Shows where time went: how many scopes of each name there are, and how long they\n"
		"took, the largest total first. SELF is the time without the scopes inside them, on\n"
		"the same thread. TRACE is a file or a directory; - is standard input.",
	.arguments = rows,
};

struct options {
	struct report_options report;
	struct name_pattern pattern;
	enum scopes_by by;
};

static int take(struct session *s, struct options *o, int key)
{
	if (key == KEY_SCOPE) {
		return selection_take_name(&o->pattern, &command, optarg);
	}
	if (key != KEY_BY) {
		return report_take(&o->report, s, &command, key);
	}
	static const char *const words[] = { "pid", "thread" };
	int by = arguments_word(optarg, words, ARRAY_SIZE(words));

	if (by < 0) {
		return arguments_bad(
			&command, "scopes are by pid or by thread, not by '%s'", optarg);
	}
	o->by = by == 0 ? SCOPES_BY_PID : SCOPES_BY_THREAD;
	return 0;
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct session *s, struct options *o, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(s, o, key);

		if (failed) {
			return failed;
		}
	}
	session_take_where(s);
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

static bool is_wanted(void *options, const struct report_row *row)
{
	const struct options *o = options;

	return name_pattern_meets(&o->pattern, row->name);
}

static void add_all(struct session *s, struct options *o)
{
	struct scopes scopes;
	struct record records[SESSION_FEW];
	size_t count;

	scopes_init(&scopes, s->reader, o->by);
	scopes.where = s->where;
	while ((count = selection_next_few(s, records))) {
		for (size_t i = 0; i < count; i++) {
			scopes_add(&scopes, &records[i]);
		}
	}
	scopes_end(&scopes);
	bool is_any = scopes.report.rows.count > 0;

	report_keep(&scopes.report, is_wanted, o);
	if (is_any && scopes.report.rows.count == 0) {
		selection_no_name(s, "no scope is called", o->pattern.text,
			(const char *const *)scopes.pairs.names.items, scopes.pairs.names.count);
	} else {
		if (scopes.pairs.names.count == 0) {
			selection_no_scopes(s);
		}
		report_put(s, &scopes.report, &o->report);
	}
	scopes_fini(&scopes);
}

int waymark_scopes(int argc, char **argv)
{
	struct session s;
	struct options options = { 0 };

	session_init(&s, command.name);
	report_options_init(&options.report);
	int failed = parse(&s, &options, argc, argv);
	int status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;

	if (!failed && session_open_several(&s, argv + optind, options.report.output)) {
		add_all(&s, &options);
	}
	int ended = session_end(&s);

	name_pattern_fini(&options.pattern);
	return failed ? status : ended;
}
