/* SPDX-License-Identifier: MIT */
/*
 * `simpletrace`: prints a simpletrace file byte for byte as QEMU's script of that name, of the
 * selected release, with its exit statuses.
 */
#include <getopt.h>
#include <stdlib.h>

#include "cmd/arguments.h"
#include "cmd/session.h"
#include "view/simpletrace.h"

#define QEMU_DEFAULT "10.2"

enum { KEY_NO_HEADER = ARGUMENT_LONG, KEY_QEMU };

static const struct argument rows[] = {
	{ KEY_NO_HEADER, "no-header", NULL,
		"TRACE has no header; an event's number is its position in EVENTS" },
	{ KEY_QEMU, "qemu", "VERSION",
		"print as this release of QEMU does (default " QEMU_DEFAULT ")" },
	{ 0 },
};

static const struct command command = {
	.name = "simpletrace",
	.usage = "[--no-header] [--qemu=VERSION] EVENTS TRACE",
	.about =
		"Prints a simpletrace file byte for byte as QEMU's script of that name does. EVENTS\n"
		"is the file of declarations (trace-events-all); TRACE may be - for standard input.",
	.arguments = rows,
};

struct options {
	bool no_header;
	const struct simpletrace_style *style;
};

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct options *options, int argc, char **argv)
{
	int key;

	options->style = simpletrace_style_find(QEMU_DEFAULT);
	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		if (key == KEY_NO_HEADER) {
			options->no_header = true;
		} else if (key == KEY_QEMU) {
			options->style = simpletrace_style_find(optarg);
		} else {
			return key;
		}
		if (!options->style) {
			return arguments_bad(&command,
				"--qemu: '%s' is not one of the known releases, " SIMPLETRACE_RELEASES,
				optarg);
		}
	}
	return argc - optind == 2 ? 0 : arguments_bad(&command, "EVENTS and TRACE are needed");
}

/* Stops at the first event without a declaration, like the script. */
static bool is_declared(struct session *s, const struct record *rec)
{
	if (LIKELY(rec->kind == RECORD_GAP || rec->class->event)) {
		return true;
	}
	session_say(s,
		"'%s' event is logged but is not declared in the trace eventsfile, try "
		"using trace-events-all instead.",
		rec->class->name);
	s->damaged = true;
	return false;
}

int main(int argc, char **argv)
{
	struct session s;
	struct options options = { 0 };
	int failed = parse(&options, argc, argv);

	if (failed) {
		return arguments_finish(
			command.name, failed == ARGUMENTS_DONE ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	session_init(&s, command.name);
	if (session_declare(&s, argv[optind]) &&
		session_open(&s, argv[optind + 1], NULL, options.no_header)) {
		struct simpletrace_view view;
		struct record rec;

		simpletrace_view_init(&view, &s.out, s.reader, options.style);
		while (session_wanted(&s) && session_next(&s, &rec) && is_declared(&s, &rec)) {
			simpletrace_view_put(&view, &rec);
		}
		simpletrace_view_fini(&view);
	}
	return session_end(&s);
}
