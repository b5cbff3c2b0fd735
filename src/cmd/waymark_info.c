/* SPDX-License-Identifier: MIT */
/*
 * `waymark info`: prints a summary of traces: events, losses, times, processes. Reads all selected
 * records once and keeps only the summary.
 */
#include <getopt.h>
#include <stdlib.h>

#include "analyse/reports.h"
#include "analyse/summary.h"
#include "cmd/arguments.h"
#include "cmd/selection.h"
#include "cmd/session.h"
#include "cmd/waymark.h"
#include "view/info.h"

enum { KEY_JSON = ARGUMENT_LONG };

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE",
		"read the events' declarations: names and checks of old traces" },
	SELECTION_ROWS,
	SELECTION_ROW_WHERE,
	{ KEY_JSON, "json", NULL, "print JSON" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark info",
	.usage = "[-e DECLARATIONS] [OPTION...] TRACE...",
	.about =
		"Shows what traces hold: format and version, processes and threads, clock, events\n"
		"of each kind, losses, times. TRACE is a file or a directory; - is standard input.",
	.arguments = rows,
};

struct options {
	const char *output;
	bool json;
};

/* Reads the command line; returns 0, or the result that ends the run. */
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
		} else if (!selection_has(key) || selection_take(s, &command, key)) {
			return key == ARGUMENTS_DONE ? key : ARGUMENTS_BAD;
		}
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

/* The numbers of the traces. */
struct numbers {
	struct summary summary;
	struct reports reports;
};

static void add_few(
	struct session *s, struct numbers *n, const struct record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		reports_add(&n->reports, s->reader, &records[i]);
	}
	summary_add_few(&n->summary, records, count);
}

/* Counts all records. Their order does not matter, so events need not be looked at one by one. */
static void count_all(struct session *s, struct numbers *n)
{
	const struct reader_needs all = {
		.from_ns = INT64_MIN, .to_ns = INT64_MAX, .any_order = true
	};
	struct record_tally runs[SESSION_FEW];
	struct record records[SESSION_FEW];
	size_t count;

	reader_limit(s->reader, &all);
	do {
		while ((count = session_count(s, runs))) {
			summary_add_runs(&n->summary, runs, count);
		}
		count = session_next_few(s, records);
		add_few(s, n, records, count);
	} while (count);
}

static void count_selected(struct session *s, struct numbers *n)
{
	struct record records[SESSION_FEW];
	size_t count;

	while ((count = selection_next_few(s, records))) {
		add_few(s, n, records, count);
	}
}

static void summarize(struct session *s, const struct options *options)
{
	struct numbers n;

	summary_init(&n.summary);
	reports_init(&n.reports);
	if (filter_is_empty(&s->filter)) {
		count_all(s, &n);
	} else {
		count_selected(s, &n);
	}
	summary_sort(&n.summary);
	const struct info info = {
		.path = s->traces[0],
		.reader = s->reader,
		.summary = &n.summary,
		.reports = &n.reports,
		.problems = s->problems,
		.damaged = s->damaged,
	};

	session_begin_output(s);
	if (options->json) {
		info_put_json(&s->out, &info);
	} else {
		info_put_text(&s->out, &info);
	}
	summary_fini(&n.summary);
	reports_fini(&n.reports);
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
	if (session_open_several(&s, argv + optind, options.output)) {
		summarize(&s, &options);
	}
	return session_end(&s);
}
