/* SPDX-License-Identifier: MIT */
/*
 * Command lines from a table: the same rows give the parser and the text of
 * --help. Every command has --help and --version without a row.
 */
#ifndef CMD_ARGUMENTS_H
#define CMD_ARGUMENTS_H

#include <stdbool.h>
#include <stdio.h>

struct argument {
	int key; /* a letter, or a number from ARGUMENT_LONG on when there is none */
	const char *name; /* without the dashes */
	const char *value; /* what the help calls its value; NULL: it takes none */
	const char *help;
};

#define ARGUMENT_LONG 256

/* arguments_next(): no option is left; a bad one was reported; --help or --version was served. */
#define ARGUMENTS_END (-1)
#define ARGUMENTS_BAD (-2)
#define ARGUMENTS_DONE (-3)

struct command {
	const char *name; /* as messages begin: "waymark print" */
	const char *usage; /* what follows the name in the first line of the help */
	const char *about; /* a sentence or more for the help */
	const struct argument *arguments; /* ends with a key of 0 */
	/* Whether the arguments end at the first word that is no option. */
	bool has_subcommands;
	void (*more_help)(FILE *file); /* what the help ends with; NULL: nothing */
};

/* The key of the next option; its value is in `optarg`, the first word behind in `optind`. */
int arguments_next(const struct command *command, int argc, char **argv);

/* Writes what standard output still holds; returns `status`, or 1 where that failed. */
int arguments_finish(const char *name, int status);

/* Reads a time of an option; returns whether it is one: above 0, at most `max`. */
bool arguments_seconds(const char *text, double max, double *seconds);

/* Reads a time of an option, at most a day, into milliseconds. Returns 0, or ARGUMENTS_BAD. */
int arguments_milliseconds(const struct command *command, const char *text, int *ms);

/* Reports a command line that makes no sense; returns ARGUMENTS_BAD. */
int arguments_bad(const struct command *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
