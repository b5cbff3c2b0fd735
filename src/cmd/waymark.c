/* SPDX-License-Identifier: MIT */
/* `waymark`: finds the subcommand in a table and runs it. */
#include "cmd/waymark.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "cmd/arguments.h"
#include "text/nearest.h"

static int waymark_help(int argc, char **argv);

static const struct {
	const char *name;
	const char *help;
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "record", "run a program with its events recorded", waymark_record },
	{ "print", "show a trace's events as lines of text", waymark_print },
	{ "info", "say what a trace holds: events, losses, times, processes", waymark_info },
	{ "scopes", "say how long the scopes of a trace took", waymark_scopes },
	{ "latency", "say how long it is from one event to another", waymark_latency },
	{ "flamegraph", "draw where the time of scopes went, as one SVG file", waymark_flamegraph },
	{ "recover", "make the trace of a killed process whole", waymark_recover },
	{ "drain", "write the traces of processes in a jail", waymark_drain },
	{ "ls", "list processes that record, and memory that ended ones left", waymark_ls },
	{ "ctl", "control the tracing of a running process", waymark_ctl },
	{ "attach", "show a running process's events, which are on meanwhile", waymark_attach },
	{ "convert", "write a trace in the other format", waymark_convert },
	{ "help", "say what a command is for and what it takes", waymark_help },
};

static void print_commands(FILE *file)
{
	fputs("\ncommands:\n", file);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].help);
	}
	fputs("\n'waymark COMMAND --help' says more about one of them.\n", file);
}

static const struct argument no_arguments[] = { { 0 } };

static const struct command waymark = {
	.name = "waymark",
	.usage = "COMMAND [ARGUMENT...]",
	.about =
		"Records and reads the traces of programs that are built with Waymark or QEMU's tracing.",
	.arguments = no_arguments,
	.has_subcommands = true,
	.more_help = print_commands,
};

/* Runs the command that `argv` begins with; false when there is none of that name. */
static bool run_command(int argc, char **argv, int *status)
{
	for (size_t i = 0; argc > 0 && i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, argv[0]) == 0) {
			optind = 0; /* getopt starts afresh */
			*status = commands[i].main(argc, argv);
			return true;
		}
	}
	return false;
}

static int refuse(const char *name)
{
	const char *names[ARRAY_SIZE(commands)];

	if (!name) {
		arguments_bad(&waymark, "a command is missing");
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
			names[i] = commands[i].name;
		}
		const char *nearest =
			nearest_name((struct span){ name, strlen(name) }, names, ARRAY_SIZE(names));

		arguments_bad(&waymark, "there is no command '%s'%s%s%s", name,
			nearest ? ": did you mean '" : "", nearest ? nearest : "",
			nearest ? "'?" : "");
	}
	print_commands(stderr);
	return WAYMARK_USAGE;
}

static const struct command help = {
	.name = "waymark help",
	.usage = "[COMMAND]",
	.about = "Says what a command is for and what it takes, as its --help does; without one, "
		 "lists them.",
	.arguments = no_arguments,
};

static int waymark_help(int argc, char **argv)
{
	int key = arguments_next(&help, argc, argv);

	if (key != ARGUMENTS_END) {
		return key == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (argc > optind + 1) {
		arguments_bad(&help, "one command at a time, not '%s', too", argv[optind + 1]);
		return WAYMARK_USAGE;
	}
	char option[] = "--help";
	char *asked[] = { argv[optind], option, NULL };
	int status = EXIT_SUCCESS;

	if (!asked[0]) {
		optind = 0;
		arguments_next(&waymark, 2, asked);
		return status;
	}
	return run_command(2, asked, &status) ? status : refuse(asked[0]);
}

static int run(int argc, char **argv)
{
	int key = arguments_next(&waymark, argc, argv);

	if (key == ARGUMENTS_DONE) {
		return EXIT_SUCCESS;
	}
	if (key == ARGUMENTS_BAD) {
		return WAYMARK_USAGE;
	}
	int status;

	argv += optind;
	argc -= optind;
	return run_command(argc, argv, &status) ? status : refuse(argc > 0 ? argv[0] : NULL);
}

int main(int argc, char **argv)
{
	return arguments_finish(waymark.name, run(argc, argv));
}
