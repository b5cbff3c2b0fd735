/* SPDX-License-Identifier: MIT */
/*
 * Feeds getopt_long() from a command's table, and prints --help from it; reads numbers, times
 * and words of options. Used by `waymark` and `simpletrace`; each error ends with the usage.
 */
#include "cmd/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/nearest.h"

#define ROWS_MAX 32
#define HELP_COLUMN 30
#define KEY_HELP 'h'
#define KEY_VERSION (ARGUMENT_LONG - 1)

static const struct argument common[] = {
	{ KEY_HELP, "help", NULL, "show this help" },
	{ KEY_VERSION, "version", NULL, "show the version" },
	{ 0 },
};

struct parser {
	struct option options[ROWS_MAX];
	char letters[2 * ROWS_MAX + 2];
	size_t count;
};

static void add_rows(struct parser *p, const struct argument *row)
{
	char *letters = p->letters + strlen(p->letters);

	for (; row->key && p->count < ROWS_MAX - 1; row++) {
		p->options[p->count++] = (struct option){
			.name = row->name,
			.has_arg = row->value ? required_argument : no_argument,
			.val = row->key,
		};
		if (row->key < KEY_VERSION) {
			*letters++ = (char)row->key;
			letters = row->value ? stpcpy(letters, ":") : letters;
		}
	}
}

/* Prints a row's help, which may have several lines. */
static void print_lines(const char *text)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		printf("%.*s\n%*s", (int)(end - text), text, HELP_COLUMN, "");
	}
	printf("%s\n", text);
}

static void print_rows(const struct argument *row)
{
	for (; row->key; row++) {
		char text[64];
		int n = snprintf(text, sizeof(text), "--%s%s%s", row->name, row->value ? "=" : "",
			row->value ? row->value : "");

		if (row->key < KEY_VERSION) {
			printf("  -%c, ", row->key);
		} else {
			printf("      ");
		}
		printf("%s%*s", text, n < HELP_COLUMN - 6 ? HELP_COLUMN - 6 - n : 1, "");
		print_lines(row->help);
	}
}

int arguments_bad(const struct command *command, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", command->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nusage: %s %s\ntry '%s --help'\n", command->name, command->usage,
		command->name);
	return ARGUMENTS_BAD;
}

int arguments_no_command(
	const struct command *command, const char *name, const char *const *names, size_t count)
{
	const char *near = nearest_name((struct span){ name, strlen(name) }, names, count);

	return arguments_bad(command, "there is no command '%s'%s%s%s", name,
		near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int arguments_next(const struct command *command, int argc, char **argv)
{
	struct parser p = { 0 };

	strcpy(p.letters, command->has_subcommands ? "+" : "");
	add_rows(&p, command->arguments);
	add_rows(&p, common);
	/* getopt's own messages begin with argv[0], which its interface does not declare const. */
	argv[0] = (char *)(uintptr_t)command->name;
	int key = getopt_long(argc, argv, p.letters, p.options, NULL);

	switch (key) {
	case '?':
		fprintf(stderr, "try '%s --help'\n", command->name);
		return ARGUMENTS_BAD;
	case KEY_HELP:
		printf("usage: %s %s\n\n%s\n\noptions:\n", command->name, command->usage,
			command->about);
		print_rows(command->arguments);
		print_rows(common);
		if (command->more_help) {
			command->more_help(stdout);
		}
		return ARGUMENTS_DONE;
	case KEY_VERSION:
		printf("%s " WAYMARK_VERSION "\n", command->name);
		return ARGUMENTS_DONE;
	default:
		return key;
	}
}

bool arguments_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && !errno && *number <= max;
}

int arguments_word(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(words[i], text) == 0) {
			return (int)i;
		}
	}
	return -1;
}

bool arguments_seconds(const char *text, double max, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	return isdigit((unsigned char)text[*text == '.']) && !*end && *seconds > 0 &&
	       *seconds <= max;
}

int arguments_milliseconds(const struct command *command, const char *text, int *ms)
{
	double seconds;

	if (!arguments_seconds(text, 86400, &seconds)) {
		return arguments_bad(command, "'%s' is not a number of seconds up to a day", text);
	}
	*ms = seconds < 0.001 ? 1 : (int)(seconds * 1000);
	return 0;
}

int arguments_finish(const char *name, int status)
{
	bool failed_before = ferror(stdout);
	bool failed = fflush(stdout) != 0;

	/* A closed pipe is no error: its reader wants no more output. */
	if ((failed && errno == EPIPE) || (!failed && !failed_before)) {
		return status;
	}
	fprintf(stderr, "%s: cannot write to standard output%s%s\n", name, failed ? ": " : "",
		failed ? strerror(errno) : "");
	return status ? status : EXIT_FAILURE;
}
