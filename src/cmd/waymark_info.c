/* SPDX-License-Identifier: MIT */
/* `waymark info`: what a trace holds. */
#include <getopt.h>
#include <stdlib.h>

#include "analyse/summary.h"
#include "cmd/arguments.h"
#include "cmd/session.h"
#include "cmd/waymark.h"
#include "view/info.h"

enum { KEY_JSON = ARGUMENT_LONG };

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE",
		"the events' declarations: names the events of old\n"
		"traces and checks their records" },
	{ KEY_JSON, "json", NULL, "for programs" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark info",
	.usage = "[-e DECLARATIONS] [--json] [-o FILE] TRACE",
	.about = "Says what a trace holds: format and version, events of each kind, losses, the\n"
		 "time they span, processes. TRACE may be - for standard input.",
	.arguments = rows,
};

struct options {
	const char *output;
	bool json;
};

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct session *s, struct options *options, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		if (key == 'e' && session_declare(s, optarg)) {
			continue;
		} else if (key == KEY_JSON) {
			options->json = true;
		} else if (key == 'o') {
			options->output = optarg;
		} else {
			return key == ARGUMENTS_DONE ? key : ARGUMENTS_BAD;
		}
	}
	if (argc - optind != 1) {
		return arguments_bad(
			&command, argc == optind ? "the trace is missing" : SESSION_ONE_TRACE);
	}
	return 0;
}

static void summarize(struct session *s, const struct options *options)
{
	struct summary summary;
	struct record rec;

	summary_init(&summary);
	while (session_next(s, &rec)) {
		summary_add(&summary, &rec);
	}
	summary_sort(&summary);
	const struct info info = {
		.path = s->trace,
		.reader = s->reader,
		.summary = &summary,
		.problems = s->problems,
		.damaged = s->damaged,
	};

	if (options->json) {
		info_put_json(&s->out, &info);
	} else {
		info_put_text(&s->out, &info);
	}
	summary_fini(&summary);
}

int waymark_info(int argc, char **argv)
{
	struct session s;
	struct options options = { 0 };

	session_init(&s, command.name);
	int failed = parse(&s, &options, argc, argv);

	if (failed) {
		session_end(&s);
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (session_open(&s, argv[optind], options.output, false)) {
		summarize(&s, &options);
	}
	return session_end(&s);
}
