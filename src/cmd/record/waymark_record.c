/* SPDX-License-Identifier: MIT */
/*
 * `waymark record`: runs a program and records its events, whatever options it has itself.
 * Everything that can be checked is checked before the program starts.
 */
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
		"switch on events that match, -PATTERN: off; may be repeated (default: *)" },
	{ 'o', "output", "DIR", "write the trace to DIR (default: PROGRAM-PID.ctf)" },
	{ KEY_OPTION, "option", "KEY=VALUE",
		"set a key of waymark-trace(7), as buffer=64M; may be repeated" },
	{ KEY_REPLACE, "replace", NULL, "replace a trace that has the name DIR" },
	{ KEY_NO_CONTROL, "no-control", NULL,
		"start no monitor, which 'waymark ls', 'ctl' and 'attach' need" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark record",
	.usage = "[-e PATTERN]... [-o DIR] [OPTION...] [--] PROGRAM [ARGUMENT...]",
	.about = "Runs PROGRAM with its events recorded, recovers the trace if it was killed, and\n"
		 "prints what was recorded. The exit status is that of PROGRAM.",
	.arguments = rows,
	.has_subcommands = true,
};

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct record_request *w, int argc, char **argv)
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
	return w->replaces && !w->output ? arguments_bad(&command, "--replace needs -o") : 0;
}

/* Prints an error; returns the status. */
static PRINTF(2, 3) int fail(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	escaped_vsay(command.name, fmt, ap);
	va_end(ap);
	return status;
}

static int cannot_run(const struct record_request *w, int error)
{
	return fail(error == ENOENT || error == ENOTDIR ? RECORD_NOT_FOUND : RECORD_CANNOT_RUN,
		"cannot run %s: %s", w->program[0], strerror(error));
}

/* Makes all checks that are possible before the program starts; returns 0, or the exit status. */
static int prepare(struct record_request *w, struct record_claim *claim)
{
	char path[PATH_MAX];
	char why[512];

	if (!record_claim_init(claim, w)) {
		return fail(RECORD_FAILED, "%s", claim->error);
	}
	if (!record_variable_check(w, why, sizeof(why))) {
		return fail(RECORD_FAILED, "%s", why);
	}
	int error = buffer_source_folder_error();

	/* Without the buffers in memory, recovery would cut too much. */
	if (error) {
		return fail(RECORD_FAILED, "cannot open " BUFFER_SOURCE_VARIABLE "=%s: %s",
			buffer_source_folder(), strerror(error));
	}
	error = record_find(w->program[0], path);

	if (error) {
		return cannot_run(w, error);
	}
	return record_claim_take(claim, w) ? 0 : fail(RECORD_FAILED, "%s", claim->error);
}

/* Runs the program and reports its traces; returns the exit status. */
static int run(const struct record_request *w, struct record_claim *claim)
{
	struct record_traces before = { 0 };
	struct record_traces traces = { 0 };
	struct record_run run;

	/* Traces of runs at the same time do not belong to this one. */
	if (w->trace[0]) {
		record_traces_find(&before, w->trace, NULL);
	}
	record_run(&run, w);
	if (!run.error) {
		record_traces_find(&traces, run.trace, &before);
	}
	/* Precedes the report, which takes long for a large trace and may be interrupted. */
	if (!record_claim_settle(claim, w, &traces)) {
		fail(RECORD_FAILED, "%s", claim->error);
	}
	if (!run.error) {
		record_report(&run, w, &traces);
	}
	record_traces_fini(&traces);
	record_traces_fini(&before);
	if (run.error) {
		return cannot_run(w, run.error);
	}
	return WIFSIGNALED(run.status) ? 128 + WTERMSIG(run.status) : WEXITSTATUS(run.status);
}

int waymark_record(int argc, char **argv)
{
	struct record_request w = { 0 };
	struct record_claim claim = { .socket = -1 };
	int status = parse(&w, argc, argv);

	if (status) {
		status = status == ARGUMENTS_DONE ? EXIT_SUCCESS : RECORD_FAILED;
	} else {
		status = prepare(&w, &claim);
		status = status ? status : run(&w, &claim);
	}
	record_claim_fini(&claim);
	vec_fini(&w.patterns);
	vec_fini(&w.options);
	return status;
}
