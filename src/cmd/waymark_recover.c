/* SPDX-License-Identifier: MIT */
/* `waymark recover`: what a crash left behind, made a clean trace. */
#include <dirent.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/waymark.h"
#include "read/arena.h"
#include "write/recover.h"

enum { KEY_ALL = ARGUMENT_LONG, KEY_LIST, KEY_DISCARD };

static const struct argument rows[] = {
	{ KEY_ALL, "all", NULL,
		"every trace of yours whose process died: the default\nwithout DIR" },
	{ KEY_LIST, "list", NULL,
		"only list what processes left or still record into:\n"
		"arena, trace, process, age, dead or alive" },
	{ KEY_DISCARD, "discard", NULL,
		"throw away what the processes left, unread; DIR may\n"
		"be an arena's path as well" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark recover",
	.usage = "[OPTION] [DIR...]",
	.about =
		"Makes a trace whole whose process was killed: what the process had recorded and\n"
		"not written yet goes into the trace's files, torn ends are cut, the clock and\n"
		"the indexes are set right. Then every reader of CTF opens it. A trace that needs\n"
		"nothing is not touched. One line for each DIR says what was done.",
	.arguments = rows,
};

struct options {
	int mode; /* 0, or one of the keys */
};

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct options *o, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		if (key < 0) {
			return key;
		}
		if (o->mode && o->mode != key) {
			return arguments_bad(
				&command, "--all, --list and --discard exclude each other");
		}
		o->mode = key;
	}
	if (o->mode == KEY_DISCARD && optind == argc) {
		return arguments_bad(&command, "--discard needs the DIR");
	}
	if ((o->mode == KEY_ALL || o->mode == KEY_LIST) && optind < argc) {
		return arguments_bad(&command, "--all and --list take no DIR");
	}
	return 0;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static int show(const char *path, bool ok, const struct recover_result *r)
{
	if (!ok) {
		fprintf(stderr, "%s: %s: %s\n", command.name, path, r->error);
		return EXIT_FAILURE;
	}
	if (!r->changed) {
		printf("%s: nothing to do\n", path);
		return EXIT_SUCCESS;
	}
	printf("%s: %" PRIu64 " stream%s, %" PRIu64 " event%s recovered, %" PRIu64 " lost", path,
		r->streams, plural(r->streams), r->events, plural(r->events), r->lost);
	if (r->cut > 0) {
		printf(", %" PRIu64 " byte%s cut", r->cut, plural(r->cut));
	}
	putchar('\n');
	return EXIT_SUCCESS;
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
	printf("%s: thrown away\n", path);
	return EXIT_SUCCESS;
}

/* Recovers what an arena file belongs to; one of a living process is no business of ours. */
static int recover_left(const char *path, struct arena_source *arena)
{
	char trace[ARENA_FILE_PATH_BYTES];
	struct recover_result result;
	bool is_live = arena_source_is_live(arena);

	strcpy(trace, arena_source_header(arena)->directory);
	arena_source_close(arena);
	if (is_live) {
		return EXIT_SUCCESS;
	}
	bool ok = recover_arena(path, &result);

	return show(ok ? trace : path, ok, &result);
}

static void print_age(time_t seconds)
{
	static const struct {
		time_t seconds;
		char letter;
	} units[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
	size_t i = 0;

	while (seconds < units[i].seconds && units[i].seconds > 1) {
		i++;
	}
	printf("%lld%c", (long long)(seconds / units[i].seconds), units[i].letter);
}

static int list(const char *path, struct arena_source *arena)
{
	const struct arena_file *h = arena_source_header(arena);
	struct stat st;
	time_t age = stat(path, &st) == 0 ? time(NULL) - st.st_mtime : 0;

	printf("%s\t%s\t%" PRIu32 "\t", path, h->directory, h->pid);
	print_age(age > 0 ? age : 0);
	printf("\t%s\n", arena_source_is_live(arena) ? "alive" : "dead");
	arena_source_close(arena);
	return EXIT_SUCCESS;
}

static int is_arena(const struct dirent *e)
{
	const char *name = strrchr(ARENA_FILE_PREFIX, '/') + 1;
	size_t n = strlen(name);

	return strncmp(e->d_name, name, n) == 0 &&
	       strspn(e->d_name + n, "0123456789abcdef") == 32 && !e->d_name[n + 32];
}

/* Calls `visit` with each arena file that is the caller's, which it closes. */
static int visit_all(int (*visit)(const char *path, struct arena_source *arena), bool *any)
{
	struct dirent **entries;
	int n = scandir(arena_source_folder(), &entries, is_arena, alphasort);
	int status = EXIT_SUCCESS;

	for (int i = 0; i < n; i++) {
		char path[4096 + 300];
		struct arena_source *arena = NULL;
		struct stat st;
		int error = 0;

		snprintf(path, sizeof(path), "%.4000s/%s", arena_source_folder(),
			entries[i]->d_name);
		free(entries[i]);
		if (lstat(path, &st) == 0 && st.st_uid == geteuid()) {
			arena = arena_source_open_path(path, &error);
			*any = true;
		}
		if (arena) {
			status |= visit(path, arena);
		} else if (error) {
			fprintf(stderr, "%s: %s: cannot be read: %s\n", command.name, path,
				strerror(error));
			status = EXIT_FAILURE;
		}
	}
	if (n >= 0) {
		free(entries);
	}
	return status;
}

static int recover_all(void)
{
	bool any = false;
	int status = visit_all(recover_left, &any);

	if (!any) {
		printf("%s: no process left anything\n", command.name);
	}
	return status;
}

int waymark_recover(int argc, char **argv)
{
	struct options options = { 0 };
	bool any = false;
	int failed = parse(&options, argc, argv);
	int status = EXIT_SUCCESS;

	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (options.mode == KEY_LIST) {
		return visit_all(list, &any);
	}
	if (optind == argc) {
		return recover_all();
	}
	for (int i = optind; i < argc; i++) {
		status |= options.mode == KEY_DISCARD ? discard(argv[i]) : recover(argv[i]);
	}
	return status;
}
