/* SPDX-License-Identifier: MIT */
/*
 * Command lines from a table: its rows give the parser and --help. Every command has
 * --help and --version without a row.
 */
#ifndef CMD_ARGUMENTS_H
#define CMD_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"

struct argument {
	int key; /* the option's letter; without one, a number from ARGUMENT_LONG on */
	const char *name; /* without the dashes */
	const char *value; /* the name of its value in --help; NULL: it takes none */
	const char *help;
};

#define ARGUMENT_LONG 256

/*
 * Results of arguments_next(): no more options; a bad one, reported; --help or --version printed.
 */
#define ARGUMENTS_END (-1)
#define ARGUMENTS_BAD (-2)
#define ARGUMENTS_DONE (-3)

struct command {
	const char *name; /* the beginning of its messages: "waymark print" */
	const char *usage; /* the rest of the first line of --help */
	const char *about; /* the paragraph of --help */
	const struct argument *arguments; /* ends with a key of 0 */
	bool has_subcommands; /* options end at the first word that is not one */
	void (*more_help)(FILE *file); /* prints the end of --help; NULL: nothing */
};

/* The next option's key, with its value in `optarg`; at the end, `optind` is the first word. */
int arguments_next(const struct command *command, int argc, char **argv);

/* Flushes standard output; returns `status`, or an error's where that failed. */
int arguments_finish(const char *name, int status);

/* Reads a decimal number of at most `max`, digits only; false: `text` is not one. */
bool arguments_number(const char *text, uint64_t max, uint64_t *number);

/* The index of `text` among `words`; -1: it is none of them. */
int arguments_word(const char *text, const char *const *words, size_t count);

/* Reads a number of seconds above 0 and at most `max`; false: `text` is not one. */
bool arguments_seconds(const char *text, double max, double *seconds);

/* Reads seconds, at most a day, as milliseconds. Returns 0, or ARGUMENTS_BAD. */
int arguments_milliseconds(const struct command *command, const char *text, int *ms);

/* Reports a bad command line; returns ARGUMENTS_BAD. */
int arguments_bad(const struct command *command, const char *fmt, ...) PRINTF(2, 3);

/* The same for a subcommand that does not exist, with the nearest name of those that do. */
int arguments_no_command(
	const struct command *command, const char *name, const char *const *names, size_t count);

#endif
