/* SPDX-License-Identifier: MIT */
/*
 * Command lines described by a table, whose rows define the parser and --help. Every command has
 * --help and --version without a row.
 */
#ifndef CMD_ARGUMENTS_H
#define CMD_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"

struct argument {
	int key; /* the option's letter; without one, a number of at least ARGUMENT_LONG */
	const char *name; /* without the dashes */
	const char *value; /* name of its value in --help; NULL: no value */
	const char *help;
};

#define ARGUMENT_LONG 256

/*
 * Results of arguments_next(): the options have ended; one is bad, which was reported; --help or
 * --version was printed.
 */
#define ARGUMENTS_END (-1)
#define ARGUMENTS_BAD (-2)
#define ARGUMENTS_DONE (-3)

struct command {
	const char *name; /* start of its messages: "waymark print" */
	const char *usage; /* the rest of the first line of --help */
	const char *about; /* a paragraph of --help */
	const struct argument *arguments; /* ends with a key of 0 */
	bool has_subcommands; /* options end at the first word that is no option */
	void (*more_help)(FILE *file); /* prints the end of --help; NULL: nothing */
};

/*
 * Returns the next option's key, with its value in `optarg`. At the end, `optind` is the index of
 * the first word.
 */
int arguments_next(const struct command *command, int argc, char **argv);

/* Flushes standard output. Returns `status`, or that of an error if flushing fails. */
int arguments_finish(const char *name, int status);

/* Reads a decimal number of at most `max`, digits only; false if `text` is none. */
bool arguments_number(const char *text, uint64_t max, uint64_t *number);

/* Returns the index of `text` among `words`; -1 if it is none of them. */
int arguments_word(const char *text, const char *const *words, size_t count);

/* Reads a number of seconds above 0 and at most `max`; false if `text` is none. */
bool arguments_seconds(const char *text, double max, double *seconds);

/* Reads seconds, at most a day, as milliseconds. Returns 0, or ARGUMENTS_BAD. */
int arguments_milliseconds(const struct command *command, const char *text, int *ms);

/* Reports a bad command line; returns ARGUMENTS_BAD. */
int arguments_bad(const struct command *command, const char *fmt, ...) PRINTF(2, 3);

/* Reports that a subcommand does not exist, and names the nearest existing one. */
int arguments_no_command(
	const struct command *command, const char *name, const char *const *names, size_t count);

#endif
