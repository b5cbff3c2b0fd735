/* SPDX-License-Identifier: MIT */
/*
 * `waymark`: finds the subcommand in the table of commands.def and runs it. Failing to write the
 * output is an error of every command, and is reported here.
 */
#include "cmd/waymark.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "cmd/arguments.h"

static const struct {
	const char *name;
	const char *help;
	int (*main)(int argc, char **argv);
} commands[] = {
#define WAYMARK_COMMAND(name, help) { #name, help, waymark_##name },
#include "cmd/commands.def"
#undef WAYMARK_COMMAND
};

static void print_commands(FILE *file)
{
	fputs("\ncommands:\n", file);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].help);
	}
	fputs("\n'waymark COMMAND --help' shows what one does and which options it takes.\n", file);
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

/* Runs the command argv[0]; false if there is none of that name. */
static bool run_command(int argc, char **argv, int *status)
{
	for (size_t i = 0; argc > 0 && i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, argv[0]) == 0) {
			optind = 0; /* resets getopt */
			*status = commands[i].main(argc, argv);
			return true;
		}
	}
	return false;
}

static int refuse(const char *name)
{
	const char *names[ARRAY_SIZE(commands)];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		names[i] = commands[i].name;
	}
	if (name) {
		arguments_no_command(&waymark, name, names, ARRAY_SIZE(names));
	} else {
		arguments_bad(&waymark, "the command is missing");
	}
	print_commands(stderr);
	return WAYMARK_USAGE;
}

static const struct command help = {
	.name = "waymark help",
	.usage = "[COMMAND]",
	.about =
		"Shows what a command does and which options it takes, as its --help does; without\n"
		"COMMAND, lists the commands.",
	.arguments = no_arguments,
};

int waymark_help(int argc, char **argv)
{
	int key = arguments_next(&help, argc, argv);

	if (key != ARGUMENTS_END) {
		return key == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (argc > optind + 1) {
		arguments_bad(&help, "unexpected '%s': help takes one command", argv[optind + 1]);
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
