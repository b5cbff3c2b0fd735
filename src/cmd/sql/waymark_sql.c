/* SPDX-License-Identifier: MIT */
/*
 * `waymark sql`: questions to traces in SQL. The traces' tables exist in a database in memory, in
 * which a user may make others; nothing is written to a file. Runs the statement of the command
 * line, or those of standard input. A signal interrupts a statement.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/selection.h"
#include "cmd/sql/sql.h"
#include "cmd/waymark.h"

#define MIB ((size_t)1 << 20)

/* Limit of --memory. */
#define MEMORY_MAX (SIZE_MAX / MIB)

enum { KEY_JSON = ARGUMENT_LONG, KEY_CSV, KEY_MEMORY };

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE", "read the events' declarations, for old traces" },
	SELECTION_ROWS,
	SELECTION_ROW_WHERE,
	{ KEY_JSON, "json", NULL, "print JSON" },
	{ KEY_CSV, "csv", NULL, "print comma-separated values" },
	{ KEY_MEMORY, "memory", "MIB", "limit of the rows that joins keep; default: 1024" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark sql",
	.usage = "[-e DECLARATIONS] [OPTION...] TRACE... [QUERY]",
	.about = "Answers a question in SQL about traces, which SQLite reads where they are. Each\n"
		 "event is a table with its fields as columns; 'events' has all of them; further\n"
		 "tables are gaps, scopes, lives, threads, processes, declarations. Without QUERY\n"
		 "reads statements from standard input. QUERY has a blank, or begins with a dot:\n"
		 ".help.",
	.arguments = rows,
};

/* ---- Interruption ---- */

/* The statement that a signal interrupts. */
static struct {
	volatile sig_atomic_t is_asked;
	sqlite3 *db; /* NULL: nothing runs */
} interruption;

static void on_signal(int number)
{
	(void)number;
	interruption.is_asked = 1;
	if (interruption.db) {
		sqlite3_interrupt(interruption.db); /* may be called in a signal handler */
	}
}

/* Notes a problem of a trace; each is reported once, though every query meets it. */
static void report_problem(void *asking, const struct read_error *error)
{
	struct asking *a = asking;

	vec_foreach (char *const *, known, &a->reported) {
		if (strcmp(*known, error->text) == 0) {
			return;
		}
	}
	if (a->session->problems++ < 10) {
		vec_push(&a->reported, xstrdup(error->text));
		session_say(a->session, "%s", error->text);
	}
}

/* Refuses what would read or write other files than the traces. */
static int authorize(void *data, int action, const char *one, const char *two, const char *three,
	const char *four)
{
	(void)data;
	(void)one;
	(void)two;
	(void)three;
	(void)four;
	return action == SQLITE_ATTACH ? SQLITE_DENY : SQLITE_OK;
}

/* ---- The command ---- */

struct options {
	const char *output;
	uint64_t memory; /* in MiB */
	enum answer_style style;
};

static int parse(struct session *s, struct options *options, int argc, char **argv)
{
	bool has_json = false;
	bool has_csv = false;
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		if (key == 'e' && session_declare(s, optarg)) {
			continue;
		} else if (key == KEY_JSON) {
			has_json = true;
		} else if (key == KEY_CSV) {
			has_csv = true;
		} else if (key == KEY_MEMORY) {
			if (!arguments_number(optarg, MEMORY_MAX, &options->memory)) {
				return arguments_bad(
					&command, "--memory takes MiB, not '%s'", optarg);
			}
		} else if (key == 'o') {
			options->output = optarg;
		} else if (!selection_has(key) || selection_take(s, &command, key)) {
			return key == ARGUMENTS_DONE ? key : ARGUMENTS_BAD;
		}
	}
	if (has_json && has_csv) {
		return arguments_bad(&command, "--json and --csv exclude each other");
	}
	options->style = has_json ? ANSWER_JSON : has_csv ? ANSWER_CSV : ANSWER_TABLE;
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

/* Returns the query, if the last word is one, and removes it from the traces. */
static const char *take_query(int argc, char **argv)
{
	char *last = argv[argc - 1];
	bool is_query =
		argc > 1 && (*last == '.' || strpbrk(last, " \t\n")) && access(last, F_OK) != 0;

	if (is_query) {
		argv[argc - 1] = NULL;
	}
	return is_query ? last : NULL;
}

static bool can_ask(struct session *s, char *const *traces)
{
	for (; *traces; traces++) {
		if (strcmp(*traces, "-") == 0) {
			session_say(s,
				"a query reads traces more than once: standard input cannot be "
				"one");
			return false;
		}
	}
	return true;
}

static bool answer_all(struct asking *a, const char *query)
{
	struct session *s = a->session;
	const struct sigaction act = { .sa_handler = on_signal };

	a->source.paths = s->traces;
	a->source.count = s->trace_count;
	a->source.declarations = s->has_declarations ? &s->declarations.model : NULL;
	a->source.selection = &s->filter;
	a->source.report = report_problem;
	a->source.data = a;
	a->source.authorize = authorize;
	a->source.is_interrupted = &interruption.is_asked;
	a->source.reader = s->reader;
	sql_source_init(&a->source);
	session_begin_output(s);
	if (sqlite3_open(":memory:", &a->db) != SQLITE_OK || sql_add_functions(a->db) ||
		sql_attach(a->db, &a->source)) {
		session_say(s, "SQLite: %s", sqlite3_errmsg(a->db));
		return false;
	}
	session_explain_states(s);
	interruption.db = a->db;
	sigaction(SIGINT, &act, NULL);
	return query ? asking_run(a, query) : ask(a);
}

int waymark_sql(int argc, char **argv)
{
	struct options options = { .memory = SQL_KEPT_MAX / MIB };
	struct session s;

	session_init(&s, command.name);
	int failed = parse(&s, &options, argc, argv);

	if (failed) {
		session_end(&s);
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	struct asking a = { .session = &s, .style = options.style };

	a.source.kept_max = (size_t)options.memory * MIB;
	const char *query = take_query(argc - optind, argv + optind);
	bool good = can_ask(&s, argv + optind) &&
		    session_open_several(&s, argv + optind, options.output) &&
		    answer_all(&a, query);

	interruption.db = NULL;
	sqlite3_close(a.db);
	if (a.db) {
		sql_source_fini(&a.source);
	}
	vec_foreach (char **, text, &a.reported) {
		free(*text);
	}
	vec_fini(&a.reported);
	int status = session_end(&s);

	return good ? status : EXIT_FAILURE;
}
