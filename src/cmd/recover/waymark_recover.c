/* SPDX-License-Identifier: MIT */
/* `waymark recover`: what a crash left behind, made a clean trace. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/recover/all_users.h"
#include "cmd/waymark.h"
#include "read/buffer.h"
#include "read/folder.h"
#include "recover/cut_memory.h"
#include "recover/jail_stage.h"
#include "recover/leftover.h"
#include "recover/recover.h"

enum {
	KEY_ALL = ARGUMENT_LONG,
	KEY_ALL_USERS,
	KEY_LIST,
	KEY_DISCARD,
	KEY_DISCARD_GONE,
	KEY_DRY_RUN
};

static const struct argument rows[] = {
	{ KEY_ALL, "all", NULL, "recover every trace of yours whose process died" },
	{ KEY_ALL_USERS, "all-users", NULL,
		"the same for all users, with the rights of each and\n"
		"without processes in a jail; for root" },
	{ KEY_LIST, "list", NULL,
		"only list what processes left or still record into,\n"
		"with tabs; without DIR and options, as a table" },
	{ KEY_DISCARD, "discard", NULL,
		"throw away what the processes left, unread; DIR may\n"
		"be a buffer's path as well" },
	{ KEY_DISCARD_GONE, "discard-gone", NULL,
		"throw away what dead processes of yours left whose\n"
		"trace is no longer where they recorded it" },
	{ KEY_DRY_RUN, "dry-run", NULL,
		"with --all, --all-users or --discard-gone: only say\n"
		"what would be done" },
	{ 'o', "output", "DIR",
		"with --all: make the traces of processes in a jail in\n"
		"DIR, and not where those say" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark recover",
	.usage = "[OPTION...] [DIR...]",
	.about =
		"Makes a trace whole whose process was killed: what the process had recorded and\n"
		"not written yet goes into the trace's files, torn ends are cut, the clock and\n"
		"the indexes are set right. Then every reader of CTF opens it. A trace that needs\n"
		"nothing is not touched. In the end all of it is read. One line for each DIR says\n"
		"what was done.",
	.arguments = rows,
};

struct options {
	int mode; /* 0, or one of the keys */
	bool is_dry;
	const char *place; /* of jails' traces, absolute; NULL: what they say */
	char place_text[PATH_MAX];
};

/* Which of the modes, if any, takes folders. */
static int check_words(const struct options *o, bool has_words)
{
	bool sweeps = o->mode == KEY_ALL || o->mode == KEY_ALL_USERS || o->mode == KEY_DISCARD_GONE;

	if (o->mode == KEY_DISCARD && !has_words) {
		return arguments_bad(&command, "--discard needs the DIR");
	}
	if ((sweeps || o->mode == KEY_LIST) && has_words) {
		return arguments_bad(
			&command, "--all, --all-users, --list and --discard-gone take no DIR");
	}
	if (o->is_dry && !sweeps) {
		return arguments_bad(
			&command, "--dry-run goes with --all, --all-users or --discard-gone");
	}
	if (o->place && o->mode != KEY_ALL) {
		return arguments_bad(&command, "-o goes with --all");
	}
	return 0;
}

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct options *o, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		if (key < 0) {
			return key;
		}
		if (key == KEY_DRY_RUN) {
			o->is_dry = true;
			continue;
		}
		if (key == 'o') {
			o->place = realpath(optarg, o->place_text);
			if (!o->place) {
				return arguments_bad(
					&command, "-o %s: %s", optarg, strerror(errno));
			}
			continue;
		}
		if (o->mode && o->mode != key) {
			return arguments_bad(&command,
				"--all, --all-users, --list, --discard and --discard-gone exclude each "
				"other");
		}
		o->mode = key;
	}
	return check_words(o, optind < argc);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void print_count(const char *before, uint64_t n, const char *what)
{
	printf("%s%" PRIu64 " %s%s", before, n, what, plural(n));
}

static void print_done(const char *path, const struct recover_result *r)
{
	escaped_put(stdout, path);
	if (!r->changed) {
		puts(": nothing to do");
		return;
	}
	printf(": ");
	print_count("", r->streams, "stream");
	print_count(", ", r->events, "event");
	printf(" recovered, %" PRIu64 " lost", r->lost);
	if (r->missing > 0) {
		print_count(", ", r->missing, "packet");
		printf(" missing");
	}
	if (r->cut > 0) {
		print_count(", ", r->cut, "byte");
		printf(" cut");
	}
	putchar('\n');
}

/* One line on standard error. */
static void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	escaped_vsay(command.name, fmt, ap);
	va_end(ap);
}

static int show(const char *path, bool ok, const struct recover_result *r)
{
	if (!ok) {
		complain("%s: %s", path, r->error);
		return EXIT_FAILURE;
	}
	print_done(path, r);
	if (r->kept_for[0]) {
		complain("%s: is a copy of %s: what its process left in memory stays for that one",
			path, r->kept_for);
	}
	if (!r->fault[0]) {
		return EXIT_SUCCESS;
	}
	fflush(stdout);
	complain("%s: cannot be mended: %s%s", path, r->fault,
		r->faults + (r->missing > 0) > 1 ? "; and more: waymark print shows them" : "");
	return EXIT_FAILURE;
}

static int recover(const char *path)
{
	struct recover_result result;
	bool ok = recover_trace(path, &result);

	return show(path, ok, &result);
}

static int discard(const char *path)
{
	struct recover_result result;
	bool ok = recover_discard(path, &result);

	if (!ok || !result.changed) {
		return show(path, ok, &result);
	}
	escaped_put(stdout, path);
	puts(": thrown away");
	return EXIT_SUCCESS;
}

/* A trace, or each in a folder of them; or the buffer that is to be thrown away. */
static int do_word(const char *path, int (*what)(const char *path))
{
	struct folder_traces traces = { 0 };
	struct arena arena;
	int status = EXIT_SUCCESS;

	arena_init(&arena);
	if (folder_list(&traces, &arena, path) == 0) {
		vec_push(&traces.paths, path);
	}
	vec_foreach (const char **, trace, &traces.paths) {
		status |= what(*trace);
	}
	vec_fini(&traces.paths);
	arena_fini(&arena);
	return status;
}

/* One line for what would be done. */
static int announce(const struct leftover *o, const char *what)
{
	escaped_printf(stdout, "%s: would be %s: process %" PRIu32 "%s%s, trace %s", o->path, what,
		o->pid, o->command[0] ? " " : "", o->command, o->directory);
	putchar('\n');
	return EXIT_SUCCESS;
}

/* Makes the trace that nobody has drained; where no process recorded there is none. */
static int recover_jailed(const struct leftover *o, const char *place)
{
	char directory[BUFFER_FILE_PATH_BYTES];
	int error = jail_stage_path(o->path, place, directory);

	if (error == EAGAIN) {
		return discard(o->path);
	}
	if (error) {
		complain("%s: its trace cannot be made: %s", o->path, strerror(error));
		return EXIT_FAILURE;
	}
	return recover(directory);
}

/* Recovers what a buffer file belongs to. */
static int recover_left(const struct leftover *o, const char *place)
{
	struct recover_result result;

	if (o->is_jailed) {
		return recover_jailed(o, place);
	}
	bool ok = recover_buffer(o->path, &result);

	return show(ok ? o->directory : o->path, ok, &result);
}

static int visit(const struct options *options, const struct leftover *o)
{
	bool discards = options->mode == KEY_DISCARD_GONE;

	if (o->error == EBADMSG) {
		complain("%s: is damaged: waymark recover --discard %s throws it away", o->path,
			o->path);
		return EXIT_FAILURE;
	}
	if (o->error) {
		complain("%s: cannot be read: %s", o->path, strerror(o->error));
		return EXIT_FAILURE;
	}
	/* What a living process records into is no business of ours. */
	if (o->state != LEFTOVER_DEAD || (discards && o->has_trace)) {
		return EXIT_SUCCESS;
	}
	/* There a process in a jail may write any name: only its user can know whether to believe
	 * it. */
	if (options->mode == KEY_ALL_USERS && o->is_jailed) {
		return EXIT_SUCCESS;
	}
	if (options->is_dry) {
		return announce(o, discards ? "thrown away" : "recovered");
	}
	return discards ? discard(o->path) : recover_left(o, options->place);
}

static void report_none(size_t of_others)
{
	if (of_others == 0) {
		printf("%s: no process left anything\n", command.name);
	} else {
		printf("%s: no process of yours left anything; %zu of other users did%s\n",
			command.name, of_others, geteuid() == 0 ? ": --all-users" : "");
	}
}

/* Goes through what the caller's processes left. */
static int visit_all(const void *argument)
{
	const struct options *options = argument;
	struct leftovers l;
	int status = EXIT_SUCCESS;
	size_t own = 0;
	size_t of_others = 0;

	leftovers_find(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		if (o->uid == geteuid()) {
			own++;
			status |= visit(options, o);
		} else {
			of_others += o->state != LEFTOVER_ALIVE;
		}
	}
	leftovers_fini(&l);
	if (!own) {
		report_none(of_others);
	}
	return status;
}

static int visit_users(const struct options *options)
{
	if (geteuid() != 0) {
		complain("--all-users is for root: --all recovers what is yours");
		return EXIT_FAILURE;
	}
	return recover_all_users(visit_all, options);
}

int waymark_recover(int argc, char **argv)
{
	struct options options = { 0 };
	int failed = parse(&options, argc, argv);
	int status = EXIT_SUCCESS;

	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	int error = buffer_source_folder_error();

	cut_memory_survive();
	/* Without what is in memory, too much would be cut, and counted as lost. */
	if (error) {
		complain("cannot open " BUFFER_SOURCE_VARIABLE "=%s: %s", buffer_source_folder(),
			strerror(error));
		return EXIT_FAILURE;
	}
	if (options.mode == KEY_LIST || (!options.mode && optind == argc)) {
		return waymark_recover_list(!options.mode);
	}
	if (options.mode == KEY_ALL_USERS) {
		return visit_users(&options);
	}
	if (optind == argc) {
		return visit_all(&options);
	}
	for (int i = optind; i < argc; i++) {
		status |= do_word(argv[i], options.mode == KEY_DISCARD ? discard : recover);
	}
	return status;
}
