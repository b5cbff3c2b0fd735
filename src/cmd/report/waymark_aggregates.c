/* SPDX-License-Identifier: MIT */
/* `waymark aggregates`: prints what traced programs have added up instead of recording. */
#include <getopt.h>
#include <stdlib.h>

#include "cmd/arguments.h"
#include "cmd/report/aggregates.h"
#include "cmd/selection.h"
#include "cmd/waymark.h"

enum { KEY_JSON = ARGUMENT_LONG, KEY_PROMETHEUS };

static const struct argument rows[] = {
	{ SELECTION_KEY_PID, "pid", "PID", "only this process; may be repeated" },
	{ KEY_JSON, "json", NULL, "print JSON" },
	{ KEY_PROMETHEUS, "prometheus", NULL, "print the text format of Prometheus" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark aggregates",
	.usage = "[OPTION...] TRACE...",
	.about =
		"Shows what programs have added up, as 'aggregate EVENT count, sum(FIELD) by FIELD'\n"
		"asked for: a table for each aggregation, a row for each key. TRACE is the trace of\n"
		"a process that runs, has ended or was killed; several are added up.",
	.arguments = rows,
};

struct options {
	enum aggregates_style style;
	const char *output;
};

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct session *s, struct options *o, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		if (key == KEY_JSON || key == KEY_PROMETHEUS) {
			o->style = key == KEY_JSON ? AGGREGATES_JSON : AGGREGATES_PROMETHEUS;
		} else if (key == 'o') {
			o->output = optarg;
		} else if (!selection_has(key) || selection_take(s, &command, key)) {
			return key == ARGUMENTS_DONE ? key : ARGUMENTS_BAD;
		}
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

int waymark_aggregates(int argc, char **argv)
{
	struct session s;
	struct options o = { 0 };

	session_init(&s, command.name);
	int failed = parse(&s, &o, argc, argv);

	if (failed) {
		session_end(&s);
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (session_open_several(&s, argv + optind, o.output)) {
		aggregates_show(&s, o.style);
	}
	return session_end(&s);
}
