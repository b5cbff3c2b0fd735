/* SPDX-License-Identifier: MIT */
/*
 * `waymark schema`: prints the statements that make the tables of a fleet in ClickHouse, the views
 * of events, and the queries that are often needed. It talks to no server.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/session.h"
#include "cmd/waymark.h"
#include "text/nearest.h"
#include "view/export/clickhouse_schema.h"

#define KEEP_DAYS_MAX 36500

enum { KEY_DATABASE = ARGUMENT_LONG, KEY_CLUSTER, KEY_REPLICATED, KEY_KEEP, KEY_OLD, KEY_QUERY };

static const struct argument rows[] = {
	{ KEY_DATABASE, "database", "NAME", "the database (default waymark)" },
	{ KEY_CLUSTER, "cluster", "NAME",
		"also tables over all servers of this cluster: all_events, ..." },
	{ KEY_REPLICATED, "replicated", NULL, "tables with replicas, by {shard} and {replica}" },
	{ KEY_KEEP, "keep", "DAYS", "remove older rows (servers from 19.6 on)" },
	{ KEY_OLD, "old", NULL, "for servers before 19.14, such as Debian's" },
	{ KEY_QUERY, "query", "NAME", "print this query instead" },
	{ 0 },
};

static void list_queries(FILE *file)
{
	fputs("\nQueries, with their parameters:\n", file);
	for (const struct schema_query *q = schema_queries; q->name; q++) {
		fprintf(file, "  %-12s %s\n              ", q->name, q->about);
		for (const struct schema_parameter *p = q->parameters; p->name; p++) {
			fprintf(file, " %s=%s", p->name, p->value ? p->value : "...");
		}
		fputs("\n", file);
	}
}

static const struct command command = {
	.name = "waymark schema",
	.usage = "clickhouse [OPTION...] [TRACE... | --query=NAME PARAMETER=VALUE...]",
	.about =
		"Prints the SQL that makes the tables of a fleet, for clickhouse-client --multiquery.\n"
		"With TRACE, which may belong to a running process, prints a view for each of its\n"
		"events instead, event_NAME, with the fields as columns; give all traces whose\n"
		"declarations of an event differ.",
	.arguments = rows,
	.more_help = list_queries,
};

struct schema_run {
	struct session session;
	struct schema_options options;
	const struct schema_query *query; /* NULL: none */
};

/* ---- Options ---- */

static int set_query(struct schema_run *x, const char *name)
{
	struct nearest near = nearest_begin(name, strlen(name));

	x->query = schema_find_query(name);
	for (const struct schema_query *q = schema_queries; q->name; q++) {
		nearest_offer(&near, q->name);
	}
	if (x->query) {
		return 0;
	}
	bool is_near = nearest_is_near(&near);

	return arguments_bad(&command, "there is no query '%s'%s%s%s", name,
		is_near ? ": did you mean '" : "", is_near ? near.name : "", is_near ? "'?" : "");
}

static int take(struct schema_run *x, int key)
{
	uint64_t days;

	switch (key) {
	case KEY_DATABASE:
		x->options.database = optarg;
		return *optarg ? 0 : arguments_bad(&command, "--database needs a name");
	case KEY_CLUSTER:
		x->options.cluster = optarg;
		return 0;
	case KEY_REPLICATED:
		x->options.is_replicated = true;
		return 0;
	case KEY_KEEP:
		if (!arguments_number(optarg, KEEP_DAYS_MAX, &days) || days == 0) {
			return arguments_bad(&command, "--keep: '%s' is no number of days", optarg);
		}
		x->options.keep_days = (unsigned int)days;
		return 0;
	case KEY_OLD:
		x->options.is_old = true;
		return 0;
	case KEY_QUERY:
		return set_query(x, optarg);
	default:
		return key;
	}
}

static int parse(struct schema_run *x, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(x, key);

		if (failed) {
			return failed;
		}
	}
	if (argc == optind) {
		return arguments_bad(&command, "the engine is missing: clickhouse");
	}
	if (strcmp(argv[optind], "clickhouse") != 0) {
		return arguments_bad(&command,
			"there is no engine '%s': clickhouse is the only one", argv[optind]);
	}
	return 0;
}

/* ---- Queries ---- */

/* Returns the value that a word `NAME=VALUE` gives a parameter, or NULL. */
static const char *value_of(const char *word, const char *name)
{
	size_t length = strlen(name);

	return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

/* Finds the values of all parameters; false, reported, if one is missing or a word is none. */
static bool find_values(const struct schema_query *q, char *const *words, const char **values)
{
	size_t used = 0;
	size_t count = 0;

	for (; words[count]; count++) {
	}
	for (size_t i = 0; q->parameters[i].name; i++) {
		const struct schema_parameter *p = &q->parameters[i];

		values[i] = p->value;
		for (size_t w = 0; w < count; w++) {
			const char *value = value_of(words[w], p->name);

			values[i] = value ? value : values[i];
			used += value != NULL;
		}
		if (!values[i]) {
			arguments_bad(&command, "--query=%s needs %s=...: %s", q->name, p->name,
				q->about);
			return false;
		}
	}
	if (used < count) {
		arguments_bad(&command,
			"--query=%s: a parameter is unknown or given twice; see --help", q->name);
	}
	return used == count;
}

/* ---- Views ---- */

static bool is_shown(const struct event_class *class)
{
	return class->event && !class->is_own;
}

/* Prints the view of a class and of those with its name, unless an earlier one has that name. */
static void put_view(struct schema_run *x, struct event_class *const *all, size_t count, size_t at)
{
	VEC(const struct event_class *) same = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (is_shown(all[i]) && strcmp(all[i]->name, all[at]->name) == 0) {
			vec_push(&same, all[i]);
		}
	}
	if (same.items[0] == all[at]) {
		schema_put_view(&x->session.out, &x->options, same.items, same.count);
	}
	vec_fini(&same);
}

static void put_views(struct schema_run *x)
{
	struct session *s = &x->session;
	struct event_class *const *all = s->reader->classes.all.items;
	size_t count = s->reader->classes.all.count;

	session_begin_output(s);
	for (size_t i = 0; i < count; i++) {
		if (is_shown(all[i])) {
			put_view(x, all, count, i);
		}
	}
	if (s->out.len == 0) {
		session_say(s, "no event of the trace has a declaration: there is nothing to view");
		s->problems++;
	}
}

/* Prints the tables, or the query; returns the exit status. */
static int print(const struct schema_run *x, const char *const *values)
{
	struct out out;

	out_init(&out, STDOUT_FILENO);
	if (x->query) {
		schema_put_query(&out, x->query, &x->options, values);
		out_str(&out, "\n");
	} else {
		schema_put(&out, &x->options);
	}
	int error = out_flush(&out);

	out_fini(&out);
	if (error) {
		escaped_say(command.name, "standard output: %s", strerror(error));
	}
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run(struct schema_run *x, char *const *words)
{
	const char *values[SCHEMA_PARAMETERS_MAX];

	if (!x->query && *words) {
		if (session_open_several(&x->session, words, NULL)) {
			put_views(x);
		}
		return session_end(&x->session);
	}
	if (x->query && !find_values(x->query, words, values)) {
		return WAYMARK_USAGE;
	}
	return print(x, values);
}

int waymark_schema(int argc, char **argv)
{
	struct schema_run x = { .options.database = "waymark" };
	int failed = parse(&x, argc, argv);

	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	session_init(&x.session, command.name);
	return run(&x, argv + optind + 1);
}
