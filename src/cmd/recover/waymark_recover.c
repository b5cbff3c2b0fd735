/* SPDX-License-Identifier: MIT */
/*
 * `waymark recover`: makes clean traces after crashes (recover/recover.h): of the folders on the
 * command line, or of all that the processes of one user or of all users left in memory.
 */
#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/columns.h"
#include "cmd/escaped.h"
#include "cmd/waymark.h"
#include "read/buffer.h"
#include "read/folder.h"
#include "recover/jail_buffer.h"
#include "recover/leftover.h"
#include "recover/recover.h"

/* Limits the delay for others that one user's slow disk, or a trap set by a user, can cause. */
#define SECONDS_PER_USER 600

enum {
	KEY_ALL = ARGUMENT_LONG,
	KEY_ALL_USERS,
	KEY_LIST,
	KEY_DISCARD,
	KEY_DISCARD_GONE,
	KEY_DRY_RUN
};

static const struct argument rows[] = {
	{ KEY_ALL, "all", NULL, "recover all your traces whose process was killed" },
	{ KEY_ALL_USERS, "all-users", NULL,
		"for root: the same for all users, with the rights of\n"
		"each; not for processes in a jail" },
	{ KEY_LIST, "list", NULL,
		"list the memory of live and dead processes, separated\n"
		"by tabs; without DIR and options, as a table" },
	{ KEY_DISCARD, "discard", NULL,
		"delete the memory of a trace's processes, unread; DIR\n"
		"may also be a buffer file" },
	{ KEY_DISCARD_GONE, "discard-gone", NULL,
		"delete the memory of your dead processes whose trace\n"
		"is no longer where they recorded it" },
	{ KEY_DRY_RUN, "dry-run", NULL,
		"with --all, --all-users or --discard-gone: print the\n"
		"actions, change nothing" },
	{ 'o', "output", "DIR",
		"with --all: write the traces of processes in a jail to\n"
		"DIR instead of the program's place" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark recover",
	.usage = "[OPTION...] [DIR...]",
	.about =
		"Completes a trace whose process was killed: writes events that are still in memory\n"
		"to the trace's files, cuts torn ends, corrects the clock and the indexes. Then\n"
		"every reader of CTF opens it. A complete trace stays as it is. At the end, reads\n"
		"the whole trace and prints one line for each DIR.",
	.arguments = rows,
};

struct options {
	int mode; /* 0, or one of the keys */
	bool is_dry;
	const char *place; /* folder for jails' traces, absolute; NULL: where programs want it */
	char place_text[PATH_MAX];
};

/* Not every mode takes folders, or every option. */
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

/* Reads the command line; returns 0, or the result that ends the run. */
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

static void print_count(const char *before, uint64_t n, const char *what)
{
	printf("%s%" PRIu64 " %s%s", before, n, what, n == 1 ? "" : "s");
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

static int show(const char *path, bool ok, const struct recover_result *r)
{
	if (!ok) {
		escaped_say(command.name, "%s: %s", path, r->error);
		return EXIT_FAILURE;
	}
	print_done(path, r);
	if (r->kept_for[0]) {
		escaped_say(command.name,
			"%s: is a copy of %s: the memory of its process is kept for the original",
			path, r->kept_for);
	}
	if (!r->fault[0]) {
		return EXIT_SUCCESS;
	}
	fflush(stdout);
	escaped_say(command.name, "%s: cannot be repaired: %s%s", path, r->fault,
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
	puts(": discarded");
	return EXIT_SUCCESS;
}

/* Calls what() for a trace, for each trace in a folder of traces, or for a buffer file. */
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

/* Recovers the trace of a buffer file. For a process in a jail, makes the trace first. */
static int recover_left(const struct leftover *o, const char *place)
{
	char directory[BUFFER_FILE_PATH_BYTES];
	struct recover_result result;

	if (!o->is_jailed) {
		bool ok = recover_buffer(o->path, &result);

		return show(ok ? o->directory : o->path, ok, &result);
	}
	int error = jail_trace_make_at(o->path, place, directory);

	if (error == EAGAIN) { /* the process recorded nothing */
		return discard(o->path);
	}
	if (error) {
		escaped_say(
			command.name, "%s: its trace cannot be made: %s", o->path, strerror(error));
		return EXIT_FAILURE;
	}
	return recover(directory);
}

static int visit(const struct options *options, const struct leftover *o)
{
	bool discards = options->mode == KEY_DISCARD_GONE;

	if (o->error == EBADMSG) {
		escaped_say(command.name,
			"%s: is damaged: waymark recover --discard %s discards it", o->path,
			o->path);
		return EXIT_FAILURE;
	}
	if (o->error) {
		escaped_say(command.name, "%s: cannot be read: %s", o->path, strerror(o->error));
		return EXIT_FAILURE;
	}
	if (o->state != LEFTOVER_DEAD || (discards && o->has_trace)) {
		return EXIT_SUCCESS;
	}
	/* A process in a jail may have written any path there, so root leaves it to its user. */
	if (options->mode == KEY_ALL_USERS && o->is_jailed) {
		return EXIT_SUCCESS;
	}
	if (options->is_dry) {
		escaped_printf(stdout, "%s: would be %s: process %" PRIu32 "%s%s, trace %s",
			o->path, discards ? "discarded" : "recovered", o->pid,
			o->command[0] ? " " : "", o->command, o->directory);
		putchar('\n');
		return EXIT_SUCCESS;
	}
	return discards ? discard(o->path) : recover_left(o, options->place);
}

/* Visits leftovers of this user. */
static int visit_own(const struct options *options)
{
	struct leftovers l;
	int status = EXIT_SUCCESS;
	size_t own = 0;
	size_t of_others = 0;

	leftovers_find_own(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		if (o->uid == geteuid()) {
			own++;
			status |= visit(options, o);
		} else {
			of_others += o->state != LEFTOVER_ALIVE;
		}
	}
	leftovers_fini(&l);
	if (!own && of_others == 0) {
		printf("%s: no process left memory\n", command.name);
	} else if (!own) {
		printf("%s: no process of yours left memory; %zu of other users did%s\n",
			command.name, of_others, geteuid() == 0 ? ": --all-users" : "");
	}
	return status;
}

/* Drops all other rights for good, groups too. A container's user may have no name. */
static bool become(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);
	gid_t gid = user ? user->pw_gid : (gid_t)65534;

	if (user ? initgroups(user->pw_name, gid) : setgroups(0, NULL)) {
		return false;
	}
	return setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0 && geteuid() == uid;
}

/* Runs in a separate process, so that one user's files can harm no other user. */
static int visit_user(uid_t uid, const struct options *options)
{
	fflush(NULL);
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		alarm(SECONDS_PER_USER);
		if (!become(uid)) {
			escaped_say(command.name, "cannot become user %u: %s", (unsigned int)uid,
				strerror(errno));
			exit(EXIT_FAILURE);
		}
		exit(visit_own(options));
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	if (pid > 0 && WIFEXITED(status)) {
		return WEXITSTATUS(status);
	}
	escaped_say(command.name, "user %u: %s; the next run continues", (unsigned int)uid,
		pid < 0			      ? strerror(errno)
		: WTERMSIG(status) == SIGALRM ? "takes more than ten minutes"
					      : strsignal(WTERMSIG(status)));
	return EXIT_FAILURE;
}

static bool is_first_of_user(const struct leftovers *l, const struct leftover *o)
{
	vec_foreach (const struct leftover *, other, &l->all) {
		if (other->uid == o->uid) {
			return other == o;
		}
	}
	return true;
}

static int visit_users(const struct options *options)
{
	struct leftovers l;
	int status = EXIT_SUCCESS;

	if (geteuid() != 0) {
		escaped_say(command.name, "--all-users is for root: --all recovers your traces");
		return EXIT_FAILURE;
	}
	if (chdir("/") != 0) {
		return EXIT_FAILURE;
	}
	leftovers_find_own(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		if (is_first_of_user(&l, o)) {
			status |= visit_user(o->uid, options);
		}
	}
	leftovers_fini(&l);
	return status;
}

static const char *const state_names[] = {
	[LEFTOVER_UNKNOWN] = "?",
	[LEFTOVER_ALIVE] = "alive",
	[LEFTOVER_DEAD] = "dead",
};

#define AMOUNT_SIZE 32

/* Formats bytes in the largest unit that does not make them less than 1; at least K. */
static const char *amount(char text[AMOUNT_SIZE], uint64_t n)
{
	static const char units[] = "KMG";
	size_t unit = 0;

	for (n >>= 10; n >= 1024 && units[unit + 1]; n >>= 10) {
		unit++;
	}
	snprintf(text, AMOUNT_SIZE, "%" PRIu64 "%c", n, units[unit]);
	return text;
}

static void put_row(struct columns *c, const struct leftover *o)
{
	char text[AMOUNT_SIZE];

	columns_put(c, amount(text, o->bytes));
	columns_put_age(c, o->seen);
	columns_put_user(c, o->uid);
	if (o->error) {
		char reason[128];

		for (int i = 0; i < 4; i++) {
			columns_put(c, "?");
		}
		columns_put(c, o->path);
		snprintf(reason, sizeof(reason), "(%s)",
			o->error == EBADMSG ? "damaged" : strerror(o->error));
		columns_put(c, reason);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu32, o->pid);
	columns_put(c, text);
	columns_put(c, state_names[o->state]);
	columns_put(c, o->has_trace ? "there" : "gone");
	columns_put(c, o->command[0] ? o->command : "?");
	columns_put(c, o->path);
	columns_put(c, o->directory);
}

static void print_advice(const struct leftovers *l)
{
	char sum[AMOUNT_SIZE];
	uint64_t bytes = 0;
	size_t dead = 0;

	vec_foreach (const struct leftover *, o, &l->all) {
		if (!o->error && o->state == LEFTOVER_DEAD && o->uid == geteuid()) {
			bytes += o->bytes;
			dead++;
		}
	}
	if (!dead) {
		return;
	}
	printf("\n%zu dead process%s of yours left %s in memory: 'waymark recover --all' writes "
	       "it to the traces\n",
		dead, dead == 1 ? "" : "es", amount(sum, bytes));
}

/* Lists the memory of all processes: as a table, or with tabs for programs. */
static int list(bool for_people)
{
	struct leftovers l;
	struct columns c;

	leftovers_find_own(&l);
	columns_init(&c, "SIZE AGE -USER PID -PROCESS -TRACE -COMMAND -BUFFER -DIRECTORY");
	vec_foreach (const struct leftover *, o, &l.all) {
		put_row(&c, o);
	}
	if (l.all.count == 0) {
		escaped_say(command.name, "no process left memory");
	} else if (for_people) {
		columns_print(&c, stdout);
		print_advice(&l);
	} else {
		columns_print_tabs(&c, stdout);
	}
	columns_fini(&c);
	leftovers_fini(&l);
	return EXIT_SUCCESS;
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

	leftover_survive_cuts();
	/* Without the memory, too many events would be cut and counted as lost. */
	if (error) {
		escaped_say(command.name, "cannot open " BUFFER_SOURCE_VARIABLE "=%s: %s",
			buffer_source_folder(), strerror(error));
		return EXIT_FAILURE;
	}
	if (options.mode == KEY_LIST || (!options.mode && optind == argc)) {
		return list(!options.mode);
	}
	if (options.mode == KEY_ALL_USERS) {
		return visit_users(&options);
	}
	if (optind == argc) {
		return visit_own(&options);
	}
	for (int i = optind; i < argc; i++) {
		status |= do_word(argv[i], options.mode == KEY_DISCARD ? discard : recover);
	}
	return status;
}
