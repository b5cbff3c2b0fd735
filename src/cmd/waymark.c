/* SPDX-License-Identifier: MIT */
/* `waymark`: finds the subcommand in a table and runs it. */
#include "cmd/waymark.h"

#include <getopt.h>
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
	{ "print", "show a trace's events as lines of text", waymark_print },
	{ "info", "say what a trace holds: events, losses, times, processes", waymark_info },
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
	.about = "Reads the traces of programs that are built with Waymark or QEMU's tracing.",
	.arguments = no_arguments,
	.has_subcommands = true,
	.more_help = print_commands,
};

int main(int argc, char **argv)
{
	int key = arguments_next(&waymark, argc, argv);

	if (key == ARGUMENTS_DONE) {
		return EXIT_SUCCESS;
	}
	if (key == ARGUMENTS_BAD) {
		return WAYMARK_USAGE;
	}
	const char *name = argv[optind];

	for (size_t i = 0; name && i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, name) == 0) {
			argv += optind;
			argc -= optind;
			optind = 0; /* getopt starts afresh */
			return commands[i].main(argc, argv);
		}
	}
	if (name) {
		arguments_bad(&waymark, "there is no command '%s'", name);
	} else {
		arguments_bad(&waymark, "a command is missing");
	}
	print_commands(stderr);
	return WAYMARK_USAGE;
}
