/* SPDX-License-Identifier: MIT */
/* `waymark record`: runs a program traced, whatever options it has itself. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/record/record.h"
#include "cmd/waymark.h"
#include "read/buffer.h"

enum { KEY_OPTION = ARGUMENT_LONG, KEY_REPLACE, KEY_NO_CONTROL };

static const struct argument rows[] = {
	{ 'e', "enable", "PATTERN",
		"switch on the events whose name matches; with a -\n"
		"before it, off. May be repeated, the last one counts.\n"
		"Unless given: *" },
	{ 'o', "output", "DIR", "the trace, instead of PROGRAM-PID.ctf" },
	{ KEY_OPTION, "option", "KEY=VALUE",
		"a key of waymark-trace(7), as buffer=64M; may be\n"
		"repeated" },
	{ KEY_REPLACE, "replace", NULL, "remove a trace that is DIR already" },
	{ KEY_NO_CONTROL, "no-control", NULL,
		"start no monitor in the program: 'waymark ls', 'ctl'\n"
		"and 'attach' do not reach it" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark record",
	.usage = "[-e PATTERN]... [-o DIR] [OPTION...] [--] PROGRAM [ARGUMENT...]",
	.about = "Runs PROGRAM with its events recorded, makes the trace whole if it was killed,\n"
		 "and says what there is. The exit status is that of PROGRAM.",
	.arguments = rows,
	.has_subcommands = true,
};

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct record_wishes *w, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		if (key == 'e') {
			vec_push(&w->patterns, optarg);
		} else if (key == KEY_OPTION) {
			vec_push(&w->options, optarg);
		} else if (key == 'o') {
			w->output = optarg;
		} else if (key == KEY_REPLACE) {
			w->replaces = true;
		} else if (key == KEY_NO_CONTROL) {
			w->has_no_control = true;
		} else {
			return key;
		}
	}
	w->program = argv + optind;
	if (!w->program[0]) {
		return arguments_bad(&command, "the program is missing");
	}
	if (w->output && !w->output[0]) {
		return arguments_bad(&command, "-o: the name is empty");
	}
	return w->replaces && !w->output ? arguments_bad(&command, "--replace goes with -o") : 0;
}

/* One line on standard error. */
static int __attribute__((format(printf, 2, 3))) fail(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	escaped_vsay(command.name, fmt, ap);
	va_end(ap);
	return status;
}

static int cannot_run(const struct record_wishes *w, int error)
{
	return fail(error == ENOENT || error == ENOTDIR ? RECORD_NOT_FOUND : RECORD_CANNOT_RUN,
		"cannot run %s: %s", w->program[0], strerror(error));
}

/* All that can be known before the program starts; 0, or the exit status. */
static int prepare(struct record_wishes *w, struct record_place *place)
{
	char path[PATH_MAX];
	char why[512];

	if (!record_place_name(place, w)) {
		return fail(RECORD_FAILED, "%s", place->error);
	}
	if (!record_variable_check(w, why, sizeof(why))) {
		return fail(RECORD_FAILED, "%s", why);
	}
	int error = buffer_source_folder_error();

	/* Without what is in memory, too much would be cut. */
	if (error) {
		return fail(RECORD_FAILED, "cannot open " BUFFER_SOURCE_VARIABLE "=%s: %s",
			buffer_source_folder(), strerror(error));
	}
	error = record_find(w->program[0], path);

	if (error) {
		return cannot_run(w, error);
	}
	return record_place_take(place, w) ? 0 : fail(RECORD_FAILED, "%s", place->error);
}

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The program, and what it left. */
static int run(const struct record_wishes *w, struct record_place *place)
{
	struct record_traces before = { 0 };
	struct record_traces traces = { 0 };
	struct record_run run;

	/* Traces that other runs left beside this one are none of it. */
	if (w->trace[0]) {
		record_traces_find(&before, w->trace, NULL);
	}
	record_run(&run, w);
	if (!run.error) {
		record_traces_find(&traces, run.trace, &before);
	}
	/* At once: whoever loses patience while a long trace is counted has the new one alone. */
	if (!record_place_settle(place, w, &traces)) {
		fail(RECORD_FAILED, "%s", place->error);
	}
	if (!run.error) {
		record_report(&run, w, &traces);
	}
	record_traces_fini(&traces);
	record_traces_fini(&before);
	return run.error ? cannot_run(w, run.error) : exit_status(run.status);
}

static int record(struct record_wishes *w)
{
	struct record_place place;
	int status = prepare(w, &place);

	status = status ? status : run(w, &place);
	record_place_leave(&place);
	return status;
}

int waymark_record(int argc, char **argv)
{
	struct record_wishes w = { 0 };
	int status = parse(&w, argc, argv);

	if (status) {
		status = status == ARGUMENTS_DONE ? EXIT_SUCCESS : RECORD_FAILED;
	} else {
		status = record(&w);
	}
	vec_fini(&w.patterns);
	vec_fini(&w.options);
	return status;
}
