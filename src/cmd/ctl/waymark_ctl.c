/* SPDX-License-Identifier: MIT */
/*
 * `waymark ctl`: sends a command to a running process. --help and the completion are made from the
 * table of commands. The command line is checked against the table before connecting.
 */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cmd/arguments.h"
#include "cmd/ctl/ctl.h"
#include "cmd/ctl/monitor_target.h"
#include "cmd/waymark.h"

#define NAME "waymark ctl"
#define MANY INT_MAX

enum {
	KEY_JSON = ARGUMENT_LONG,
	KEY_TIMEOUT,
	KEY_ON,
	KEY_NAMES,
	KEY_EVENTS,
	KEY_THREADS,
	KEY_BACKEND,
	KEY_VCPU
};

static const struct argument rows[] = {
	{ KEY_JSON, "json", NULL, "print the monitor's answer as JSON" },
	CLIENT_ROW_TIMEOUT(KEY_TIMEOUT),
	{ KEY_ON, "on", NULL, "with list: only events that are on" },
	{ KEY_NAMES, "names", NULL, "with list, categories, triggers: no columns but the last" },
	{ KEY_EVENTS, "events", NULL, "with stats: a row for each event that is on or recorded" },
	{ KEY_THREADS, "threads", NULL, "with stats: a row for each thread that recorded" },
	{ KEY_BACKEND, "backend", "NAME",
		"ctf; simple; log: with 'file', the backend whose output is meant" },
	{ KEY_VCPU, "vcpu", "N", "with list, on, off: only events of single vCPUs, for vCPU N" },
	{ 0 },
};

static const struct ctl_command {
	const char *name;
	const char *usage; /* usage of its arguments; their number is between: */
	int least;
	int most;
	json_t *(*run)(struct ctl *ctl);
	void (*print)(const struct ctl *ctl, const json_t *result); /* NULL: nothing */
	const char *help;
} commands[] = {
	{ "list", "[PATTERN...]", 0, MANY, ctl_list, ctl_print_list,
		"show events and whether they are on" },
	{ "on", "PATTERN... [LIMIT...] [if CONDITION]", 1, MANY, ctl_on, ctl_print_misfits,
		"switch events on: all that match, or none; waymark-trace(7) has limits and conditions" },
	{ "off", "PATTERN...", 1, MANY, ctl_off, NULL,
		"switch events off: all that match, or none; 'off when ...' removes a trigger, 'off aggregate ...' an aggregation" },
	{ "when", "EVENT [if CONDITION] then ACTION", 1, MANY, ctl_when, ctl_print_misfits,
		"add a trigger; waymark-trace(7) has the actions" },
	{ "aggregate", "EVENT FUNCTION, ... [by FIELD, ...] [if CONDITION]", 1, MANY, ctl_aggregate,
		ctl_print_misfits, "add calls up: count, sum(FIELD), hist(FIELD) and more" },
	{ "aggregates", "", 0, 0, ctl_aggregates, ctl_print_aggregates,
		"show what has been added up" },
	{ "triggers", "", 0, 0, ctl_triggers, ctl_print_triggers,
		"show the triggers and aggregations, and how often each has fired" },
	{ "categories", "", 0, 0, ctl_categories, ctl_print_categories,
		"show the categories of trace points, and how many are on" },
	{ "stats", "", 0, 0, ctl_stats, ctl_print_stats, "show what was recorded and lost" },
	{ "flush", "", 0, 0, ctl_flush, NULL, "write recorded events to the files" },
	{ "snapshot", "[DIRECTORY]", 0, 1, ctl_snapshot, ctl_print_path,
		"write the events that full=overwrite keeps in memory" },
	{ "file", "[on|off|set [PATH]]", 0, 2, ctl_file, ctl_print_file,
		"show, open, close or name the trace or log file" },
	{ "monitor", "WORD...", 1, MANY, ctl_monitor, ctl_print_text,
		"run a command of HMP, the monitor for people" },
	{ "qmp", "OBJECT", 1, 1, ctl_qmp, ctl_print_json, "send an object of JSON as QMP" },
};

/* The help of a command whose arguments reach this column has a line of its own. */
#define HELP_COLUMN 33

static void print_commands(FILE *file)
{
	fputs("\ncommands:\n", file);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct ctl_command *c = &commands[i];

		int column = fprintf(file, "  %-10s %s", c->name, c->usage);

		fprintf(file, "%s%*s%s\n", column < HELP_COLUMN ? "" : "\n",
			column < HELP_COLUMN ? HELP_COLUMN - column : HELP_COLUMN, "", c->help);
	}
	fputs("\nA PATTERN is a name, a glob with * or ?, or a regular expression between slashes.\n"
	      "TARGET is a pid, a program's name or a part of it, or a socket's path: see 'waymark ls'.\n",
		file);
}

static const struct command command = {
	.name = NAME,
	.usage = "TARGET COMMAND [ARGUMENT...] [OPTION...]",
	.about = "Controls the tracing of a running process that has a monitor.",
	.arguments = rows,
	.more_help = print_commands,
};

/* Options that only some commands have. */
static const struct {
	int key;
	const char *option;
	const char *commands;
} belongings[] = {
	{ KEY_ON, "--on", "list" },
	{ KEY_NAMES, "--names", "list, categories, triggers" },
	{ KEY_EVENTS, "--events", "stats" },
	{ KEY_THREADS, "--threads", "stats" },
	{ KEY_BACKEND, "--backend", "file" },
	{ KEY_VCPU, "--vcpu", "list, on, off" },
};

static int take_vcpu(struct ctl *ctl, const char *text)
{
	uint64_t vcpu;

	if (!arguments_number(text, LONG_MAX, &vcpu)) {
		return arguments_bad(&command, "'%s' is not the number of a vCPU, from 0", text);
	}
	ctl->vcpu = (long)vcpu;
	ctl->has_vcpu = true;
	return 0;
}

/* Applies one option; returns 0, or the result that ends the run. */
static int take(struct ctl *ctl, int key)
{
	if (key < ARGUMENT_LONG) {
		return key;
	}
	ctl->given |= 1u << (key - ARGUMENT_LONG);
	switch (key) {
	case KEY_TIMEOUT:
		return arguments_milliseconds(&command, optarg, &ctl->timeout_ms);
	case KEY_VCPU:
		return take_vcpu(ctl, optarg);
	case KEY_BACKEND:
		ctl->backend = optarg;
		return 0;
	case KEY_JSON:
		ctl->json = true;
		return 0;
	case KEY_ON:
		ctl->only_on = true;
		return 0;
	case KEY_NAMES:
		ctl->only_names = true;
		return 0;
	case KEY_EVENTS:
		ctl->events = true;
		return 0;
	default:
		ctl->threads = true;
		return 0;
	}
}

static int find_command(struct ctl *ctl, const char *name)
{
	const char *names[ARRAY_SIZE(commands)];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		names[i] = commands[i].name;
	}
	int index = arguments_word(name, names, ARRAY_SIZE(names));

	if (index >= 0) {
		ctl->command = &commands[index];
		return 0;
	}
	if (arguments_word(ctl->target, names, ARRAY_SIZE(names)) >= 0) {
		return arguments_bad(&command,
			"the process comes first: did you mean 'waymark ctl %s %s'?", name,
			ctl->target);
	}
	arguments_no_command(&command, name, names, ARRAY_SIZE(names));
	print_commands(stderr);
	return ARGUMENTS_BAD;
}

/* True if a comma-separated list has the word. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length) {
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ',')) {
			return true;
		}
	}
	return false;
}

/* Checks the command's number of arguments, and its options; returns 0, or ARGUMENTS_BAD. */
static int check_command(const struct ctl *ctl)
{
	const struct ctl_command *c = ctl->command;

	if (ctl->count < c->least || ctl->count > c->most) {
		return arguments_bad(&command, "%s: usage: %s%s%s",
			ctl->count < c->least ? "an argument is missing" : "too many arguments",
			c->name, *c->usage ? " " : "", c->usage);
	}
	for (int i = 0; i < ctl->count; i++) {
		if (!ctl->words[i][0] && c->most == MANY) {
			return arguments_bad(&command, "an argument is empty");
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(belongings); i++) {
		bool is_given = ctl->given & 1u << (belongings[i].key - ARGUMENT_LONG);

		if (is_given && !has_word(belongings[i].commands, c->name)) {
			return arguments_bad(&command, "%s goes with '%s' only",
				belongings[i].option, belongings[i].commands);
		}
	}
	return 0;
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct ctl *ctl, int argc, char **argv)
{
	int key;
	int failed = 0;

	/* Arguments become JSON, which must be UTF-8. */
	for (int i = 1; i < argc; i++) {
		if (utf8_invalid(argv[i], strlen(argv[i])) < strlen(argv[i])) {
			return arguments_bad(&command, "argument %d is not UTF-8", i);
		}
	}
	while (!failed && (key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		failed = take(ctl, key);
	}
	if (failed) {
		return failed;
	}
	if (argc - optind < 2) {
		return arguments_bad(
			&command, "%s is missing", argc == optind ? "the process" : "the command");
	}
	ctl->target = argv[optind];
	ctl->words = argv + optind + 2;
	ctl->count = argc - optind - 2;
	failed = find_command(ctl, argv[optind + 1]);
	return failed ? failed : check_command(ctl);
}

/* Returns the exit status. */
static int run(struct ctl *ctl)
{
	bool is_open = monitor_target_open(&ctl->client, ctl->target, ctl->timeout_ms);
	json_t *result = is_open ? ctl->command->run(ctl) : NULL;

	if (!result) {
		client_say(NAME, ctl->target, ctl->client.error);
	} else if (ctl->json && ctl->command->print != ctl_print_aggregates) {
		ctl_print_json(ctl, result);
	} else if (ctl->command->print) {
		ctl->command->print(ctl, result);
	}
	json_decref(result);
	client_close(&ctl->client);
	return result ? EXIT_SUCCESS : EXIT_FAILURE;
}

int waymark_ctl(int argc, char **argv)
{
	struct ctl ctl = { .timeout_ms = CLIENT_TIMEOUT_MS };
	int failed = parse(&ctl, argc, argv);

	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	return run(&ctl);
}
