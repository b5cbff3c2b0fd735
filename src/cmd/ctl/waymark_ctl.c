/* SPDX-License-Identifier: MIT */
/*
 * `waymark ctl`: a command for a running process. The table of commands gives the
 * help, what is completed, and what is checked of a command line before anything
 * is connected to.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "cmd/arguments.h"
#include "cmd/ctl/ctl.h"
#include "cmd/ctl/monitor_target.h"
#include "cmd/escaped.h"
#include "cmd/waymark.h"
#include "text/nearest.h"

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
	{ KEY_JSON, "json", NULL, "what the process returned, for programs" },
	CLIENT_ROW_TIMEOUT(KEY_TIMEOUT),
	{ KEY_ON, "on", NULL, "list: only events that are on" },
	{ KEY_NAMES, "names", NULL, "list, categories: only names" },
	{ KEY_EVENTS, "events", NULL, "stats: of each event that is on or has recorded" },
	{ KEY_THREADS, "threads", NULL, "stats: of each thread that has recorded" },
	{ KEY_BACKEND, "backend", "NAME", "ctf; simple; log: which of them file is about" },
	{ KEY_VCPU, "vcpu", "N", "list, on, off: only events of single vCPUs, and of that one" },
	{ 0 },
};

static const struct ctl_command {
	const char *name;
	const char *usage; /* its arguments */
	int least; /* how many there are */
	int most;
	json_t *(*run)(struct ctl *ctl);
	void (*print)(const struct ctl *ctl, const json_t *result); /* NULL: nothing */
	const char *help;
} commands[] = {
	{ "list", "[PATTERN...]", 0, MANY, ctl_list, ctl_print_list,
		"show events and whether they are on" },
	{ "on", "PATTERN...", 1, MANY, ctl_on, NULL, "switch events on: all that match, or none" },
	{ "off", "PATTERN...", 1, MANY, ctl_off, NULL,
		"switch events off: all that match, or none" },
	{ "categories", "", 0, 0, ctl_categories, ctl_print_categories,
		"show the categories of trace points, and how many are on" },
	{ "stats", "", 0, 0, ctl_stats, ctl_print_stats, "show what was recorded and lost" },
	{ "flush", "", 0, 0, ctl_flush, NULL, "write what is recorded to the files" },
	{ "snapshot", "[DIRECTORY]", 0, 1, ctl_snapshot, ctl_print_path,
		"write what full=overwrite holds in memory; show where" },
	{ "file", "[on|off|set [PATH]]", 0, 2, ctl_file, ctl_print_file,
		"show, open, close or name the trace or log file" },
	{ "monitor", "WORD...", 1, MANY, ctl_monitor, ctl_print_text,
		"run a line of the monitor for people (HMP)" },
	{ "qmp", "OBJECT", 1, 1, ctl_qmp, ctl_print_json, "send an object of JSON (QMP)" },
};

static void print_commands(FILE *file)
{
	fputs("\ncommands:\n", file);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct ctl_command *c = &commands[i];

		fprintf(file, "  %-10s %-19s %s\n", c->name, c->usage, c->help);
	}
	fputs("\nA PATTERN is a name, has * or ?, or is a regular expression between slashes.\n"
	      "TARGET is a pid, a program's name or part of it, or a socket's path: see 'waymark ls'.\n",
		file);
}

static const struct command command = {
	.name = NAME,
	.usage = "TARGET COMMAND [ARGUMENT...] [OPTION...]",
	.about = "Controls the tracing of a running process that has a monitor.",
	.arguments = rows,
	.more_help = print_commands,
};

/* Which options belong to which commands; the others belong to all. */
static const struct {
	int key;
	const char *option;
	const char *commands;
} belongings[] = {
	{ KEY_ON, "--on", "list" },
	{ KEY_NAMES, "--names", "list, categories" },
	{ KEY_EVENTS, "--events", "stats" },
	{ KEY_THREADS, "--threads", "stats" },
	{ KEY_BACKEND, "--backend", "file" },
	{ KEY_VCPU, "--vcpu", "list, on, off" },
};

/* What the command line says. */
struct line {
	struct ctl ctl;
	const struct ctl_command *command;
	int timeout_ms;
	bool given[ARRAY_SIZE(belongings)];
};

json_t *ctl_fail(struct ctl *ctl, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ctl->error, sizeof(ctl->error), fmt, ap);
	va_end(ap);
	return NULL;
}

json_t *ctl_call(struct ctl *ctl, const char *name, json_t *arguments)
{
	return client_call(&ctl->client, name, arguments);
}

static void note_given(struct line *l, int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(belongings); i++) {
		l->given[i] |= belongings[i].key == key;
	}
}

/* Whether the program has a vCPU of that number, it says itself. */
static int take_vcpu(struct line *l, const char *text)
{
	char *end;

	errno = 0;
	l->ctl.vcpu = strtol(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno) {
		return arguments_bad(&command, "'%s' is not the number of a vCPU, from 0", text);
	}
	l->ctl.has_vcpu = true;
	return 0;
}

/* Takes one option; returns 0, or what ends the run. */
static int take(struct line *l, int key)
{
	bool *const flags[] = {
		[KEY_JSON - ARGUMENT_LONG] = &l->ctl.json,
		[KEY_ON - ARGUMENT_LONG] = &l->ctl.only_on,
		[KEY_NAMES - ARGUMENT_LONG] = &l->ctl.only_names,
		[KEY_EVENTS - ARGUMENT_LONG] = &l->ctl.events,
		[KEY_THREADS - ARGUMENT_LONG] = &l->ctl.threads,
	};

	note_given(l, key);
	if (key == KEY_TIMEOUT) {
		return arguments_milliseconds(&command, optarg, &l->timeout_ms);
	}
	if (key == KEY_VCPU) {
		return take_vcpu(l, optarg);
	}
	if (key == KEY_BACKEND) {
		l->ctl.backend = optarg;
		return 0;
	}
	if (key < ARGUMENT_LONG) {
		return key;
	}
	*flags[key - ARGUMENT_LONG] = true;
	return 0;
}

static const struct ctl_command *command_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, name) == 0) {
			return &commands[i];
		}
	}
	return NULL;
}

static int find_command(struct line *l, const char *name)
{
	const char *names[ARRAY_SIZE(commands)];

	l->command = command_named(name);
	if (l->command) {
		return 0;
	}
	if (command_named(l->ctl.target)) {
		return arguments_bad(&command,
			"the process comes first: did you mean 'waymark ctl %s %s'?", name,
			l->ctl.target);
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		names[i] = commands[i].name;
	}
	const char *nearest =
		nearest_name((struct span){ name, strlen(name) }, names, ARRAY_SIZE(names));

	arguments_bad(&command, "there is no command '%s'%s%s%s", name,
		nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	print_commands(stderr);
	return ARGUMENTS_BAD;
}

/* Whether the list of words has the word. */
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

static int check_belongings(const struct line *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(belongings); i++) {
		if (l->given[i] && !has_word(belongings[i].commands, l->command->name)) {
			return arguments_bad(&command, "%s goes with '%s' only",
				belongings[i].option, belongings[i].commands);
		}
	}
	return 0;
}

/* Whether the command takes what stands behind it. */
static int check_words(const struct line *l)
{
	const struct ctl_command *c = l->command;

	if (l->ctl.count < c->least || l->ctl.count > c->most) {
		return arguments_bad(&command, "%s: it is %s%s%s",
			l->ctl.count < c->least ? "an argument is missing" : "too many arguments",
			c->name, *c->usage ? " " : "", c->usage);
	}
	for (int i = 0; i < l->ctl.count; i++) {
		if (!l->ctl.words[i][0] && c->most == MANY) {
			return arguments_bad(&command, "an argument is empty");
		}
	}
	return check_belongings(l);
}

/* Nothing else can be sent. */
static int check_text(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (utf8_invalid(argv[i], strlen(argv[i])) < strlen(argv[i])) {
			return arguments_bad(&command, "argument %d is no UTF-8", i);
		}
	}
	return 0;
}

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct line *l, int argc, char **argv)
{
	int key;
	int failed = check_text(argc, argv);

	while (!failed && (key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		failed = take(l, key);
	}
	if (failed) {
		return failed;
	}
	if (argc - optind < 2) {
		return arguments_bad(
			&command, "%s is missing", argc == optind ? "the process" : "the command");
	}
	l->ctl.target = argv[optind];
	l->ctl.words = argv + optind + 2;
	l->ctl.count = argc - optind - 2;
	failed = find_command(l, argv[optind + 1]);
	return failed ? failed : check_words(l);
}

static void say(const char *target, const char *error)
{
	/* What is wrong with a socket begins with its path. */
	bool names_it = strncmp(error, target, strlen(target)) == 0;

	escaped_printf(
		stderr, NAME ": %s%s%s", names_it ? "" : target, names_it ? "" : ": ", error);
	fputc('\n', stderr);
}

/* Runs the command on an open connection; returns the exit status. */
static int run_command(struct line *l)
{
	struct ctl *ctl = &l->ctl;
	json_t *result = l->command->run(ctl);

	if (!result) {
		say(ctl->target, *ctl->error ? ctl->error : ctl->client.error);
		return EXIT_FAILURE;
	}
	if (ctl->json) {
		ctl_print_json(ctl, result);
	} else if (l->command->print) {
		l->command->print(ctl, result);
	}
	json_decref(result);
	return EXIT_SUCCESS;
}

static int run(struct line *l)
{
	const struct client_time time = { l->timeout_ms, .in_all = false };
	struct ctl *ctl = &l->ctl;
	char path[SOCKET_PATH_SIZE];
	int status = EXIT_FAILURE;

	if (!monitor_target_find(ctl->target, path, ctl->error)) {
		say(ctl->target, ctl->error);
	} else if (!client_open(&ctl->client, path, time)) {
		say(ctl->target, ctl->client.error);
	} else {
		status = run_command(l);
		client_close(&ctl->client);
	}
	return status;
}

int waymark_ctl(int argc, char **argv)
{
	struct line l = { .timeout_ms = CLIENT_TIMEOUT_MS };
	int failed = parse(&l, argc, argv);

	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	return run(&l);
}
