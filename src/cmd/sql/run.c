/* SPDX-License-Identifier: MIT */
/*
 * Runs statements, and the commands that begin with a dot. An error shows its place in the
 * statement, and the nearest name of a table or column.
 */
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/sql/sql.h"
#include "sql/statement.h"

#define BLANKS " \t\r\n"

/* Reports SQLite's error, with the place in the statement and the nearest name that exists. */
static void report_error(struct asking *a, const char *statement)
{
	const struct sql_fault f = sql_fault(&a->source, a->db);

	session_say(a->session, "%s%s%s%s",
		f.is_refused ? "statements cannot open or write files" : f.text,
		*f.near ? "; did you mean '" : "", f.near, *f.near ? "'?" : "");
	if (f.at >= 0) {
		escaped_caret(stderr, statement, (size_t)f.at, 1);
	}
}

/* ---- Statements ---- */

static bool run_statement(struct asking *a, const char *text, const char **rest)
{
	sqlite3_stmt *statement;

	*a->source.is_interrupted = 0;
	int result = sql_prepare(&a->source, a->db, text, &statement, rest);
	bool is_ready = result == SQLITE_OK;

	if (is_ready) {
		result = statement ? answer(a, statement) : SQLITE_DONE;
	}
	bool good = is_ready && (result == SQLITE_DONE || result == SQLITE_ROW);

	sqlite3_finalize(statement);
	if (!good && *a->source.is_interrupted) {
		session_say(a->session, "interrupted");
	} else if (!good) {
		report_error(a, text);
	}
	return good;
}

static bool run_statements(struct asking *a, const char *text)
{
	bool good = true;

	while (good && *text) {
		good = run_statement(a, text, &text);
	}
	return good;
}

/* ---- Commands with a dot ---- */

static bool show_tables(struct asking *a, const char *pattern)
{
	struct out *out = &a->session->out;

	vec_foreach (struct sql_events *const *, t, &a->source.tables) {
		if (!*pattern || glob_match_name(pattern, (*t)->name)) {
			out_printf(out, "%s\n", (*t)->name);
		}
	}
	for (const char *const *list = list_names; *list; list++) {
		if (!*pattern || glob_match_name(pattern, *list)) {
			out_printf(out, "%s\n", *list);
		}
	}
	return true;
}

static bool has_table(struct asking *a, const char *table)
{
	sqlite3_stmt *statement = NULL;
	char *query = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
	bool good = sqlite3_prepare_v2(a->db, query, -1, &statement, NULL) == SQLITE_OK;

	if (!good) {
		report_error(a, query);
	}
	sqlite3_finalize(statement);
	sqlite3_free(query);
	return good;
}

static bool show_columns(struct asking *a, const char *table)
{
	if (!*table) {
		session_say(a->session, ".schema needs a table: see .tables");
		return false;
	}
	if (!has_table(a, table)) {
		return false;
	}
	char *query =
		sqlite3_mprintf("SELECT name, type, hidden FROM pragma_table_xinfo(%Q)", table);
	bool good = run_statements(a, query);

	sqlite3_free(query);
	return good;
}

static bool set_mode(struct asking *a, const char *name)
{
	static const char *const names[] = {
		[ANSWER_TABLE] = "table", [ANSWER_CSV] = "csv", [ANSWER_JSON] = "json"
	};
	int style = arguments_word(name, names, ARRAY_SIZE(names));

	if (style < 0) {
		session_say(a->session, ".mode is table, csv or json, not '%s'", name);
		return false;
	}
	a->style = (enum answer_style)style;
	return true;
}

static bool quit(struct asking *a, const char *argument)
{
	(void)argument;
	a->is_over = true;
	return true;
}

static bool show_help(struct asking *a, const char *argument);

static const struct dot_command {
	const char *name;
	bool (*run)(struct asking *a, const char *argument);
	const char *help;
} dot_commands[] = {
	{ ".tables", show_tables, ".tables [PATTERN]   the tables" },
	{ ".schema", show_columns, ".schema TABLE       its columns; hidden ones are not in *" },
	{ ".mode", set_mode, ".mode table|csv|json  how answers look" },
	{ ".help", show_help, ".help               these commands" },
	{ ".quit", quit, ".quit               end, like Ctrl-D" },
};

static bool show_help(struct asking *a, const char *argument)
{
	(void)argument;
	for (size_t i = 0; i < ARRAY_SIZE(dot_commands); i++) {
		out_printf(&a->session->out, "%s\n", dot_commands[i].help);
	}
	return true;
}

static bool run_dot_command(struct asking *a, const char *text)
{
	size_t length = strcspn(text, BLANKS ";");
	char argument[256];

	snprintf(argument, sizeof(argument), "%s", text + length + strspn(text + length, BLANKS));
	for (size_t end = strlen(argument); end > 0 && strchr(BLANKS ";", argument[end - 1]);) {
		argument[--end] = '\0';
	}
	for (size_t i = 0; i < ARRAY_SIZE(dot_commands); i++) {
		if (strlen(dot_commands[i].name) == length &&
			strncmp(dot_commands[i].name, text, length) == 0) {
			return dot_commands[i].run(a, argument);
		}
	}
	session_say(a->session, "there is no command '%.*s': see .help", (int)length, text);
	return false;
}

bool asking_run(struct asking *a, const char *text)
{
	return *text == '.' ? run_dot_command(a, text) : run_statements(a, text);
}
