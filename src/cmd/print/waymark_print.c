/* SPDX-License-Identifier: MIT */
/*
 * `waymark print`: prints traces as lines of text. This file has its command line; print.c writes
 * the lines, for `waymark attach`, too.
 */
#include <getopt.h>
#include <stdlib.h>

#include "cmd/arguments.h"
#include "cmd/print/print.h"
#include "cmd/selection.h"
#include "cmd/waymark.h"

enum { KEY_EVENT = PRINT_KEY_OWN, KEY_NEW, KEY_HEAD, KEY_TAIL, KEY_COUNT };

static const struct argument rows[] = {
	PRINT_ROW_DECLARATIONS,
	{ KEY_EVENT, "event", "PATTERN",
		"only events that match: a name, glob or /REGEX/; -PATTERN: not these" },
	{ SELECTION_KEY_SINCE, "from", "TIME", SELECTION_SINCE },
	{ SELECTION_KEY_UNTIL, "to", "TIME", SELECTION_UNTIL },
	{ SELECTION_KEY_SINCE, "since", "TIME", "same as --from" },
	{ SELECTION_KEY_UNTIL, "until", "TIME", "same as --to" },
	SELECTION_ROWS_IDS,
	SELECTION_ROW_WHERE,
	PRINT_ROW_TID,
	{ KEY_HEAD, "head", "N", "print only the first N lines" },
	{ KEY_TAIL, "tail", "N", "print only the last N lines" },
	{ KEY_COUNT, "count", NULL, "print only the number of events" },
	PRINT_ROWS_LOOK,
	{ 'f', "follow", NULL,
		"wait for the trace and new events, until SIGINT or the program exits" },
	{ KEY_NEW, "new", NULL, "with --follow: only events from now on" },
	PRINT_ROW_OUTPUT,
	{ 0 },
};

static const struct command command = {
	.name = "waymark print",
	.usage = "[-e DECLARATIONS] [OPTION...] TRACE...",
	.about =
		"Prints the events of traces, a line each: time, process, name, message. Events of\n"
		"several traces are in the order of time. A line that begins with # marks a place\n"
		"where events were lost. TRACE is a file or a directory; - is standard input. The\n"
		"exit status is 1 when a part of a trace could not be read.",
	.arguments = rows,
};

static int set_number(struct print *p, uint64_t *number, const char *text)
{
	p->is_limited = true;
	if (!arguments_number(text, UINT64_MAX, number)) {
		return arguments_bad(&command, "'%s' is not a number of lines", text);
	}
	return 0;
}

static int set_tail(struct print *p, const char *text)
{
	uint64_t lines;
	int failed = set_number(p, &lines, text);

	p->wants_none = lines == 0;
	tail_init(&p->last, lines);
	return failed;
}

/* Applies one option; returns 0, or the result that ends the run. */
static int take(struct print *p, int key)
{
	switch (key) {
	case KEY_EVENT:
		return selection_add_name(&p->session.filter, &command, optarg);
	case KEY_HEAD:
		return set_number(p, &p->head, optarg);
	case KEY_TAIL:
		return set_tail(p, optarg);
	case KEY_COUNT:
		p->only_count = p->is_limited = true;
		return 0;
	case 'f':
		p->follow = true;
		return 0;
	case KEY_NEW:
		p->only_new = true;
		return 0;
	default:
		return selection_has(key) ? selection_take(&p->session, &command, key)
					  : print_take(p, &command, key);
	}
}

/* Reads the command line; returns 0, or the result that ends the run. */
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
	if ((p->last.limit > 0 || p->wants_none) && p->follow) {
		return arguments_bad(
			&command, "--tail does not go with --follow, which has no last line yet");
	}
	if (p->wants_none) {
		p->head = 0;
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

static int run(struct print *p, char *const *traces)
{
	struct session *s = &p->session;

	if (p->follow) {
		s->awaited = &p->head;
		session_follow(s, p->only_new ? FOLLOW_NEW : FOLLOW_ALL);
	}
	/* Relative times count from the first record. */
	s->reads_all = p->time == TIMESTAMP_RELATIVE || p->time == TIMESTAMP_DELTA;
	if (session_open_several(s, traces, p->output)) {
		if (print_has_time(p)) {
			print_all(p);
		} else {
			s->damaged = true;
		}
	}
	return session_end(s);
}

int waymark_print(int argc, char **argv)
{
	struct print p = { .time = TIMESTAMP_ABSOLUTE, .style = &lines_text, .head = UINT64_MAX };
	int status;

	session_init(&p.session, command.name);
	int failed = parse(&p, argc, argv);

	if (failed) {
		session_end(&p.session);
		status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	} else {
		status = run(&p, argv + optind);
	}
	tail_fini(&p.last);
	vec_fini(&p.fields);
	return status;
}
