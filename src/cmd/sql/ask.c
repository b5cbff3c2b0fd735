/* SPDX-License-Identifier: MIT */
/*
 * Statements from standard input. At a terminal: a prompt with a history that is kept between runs,
 * and completion of SQL's words and of the names of tables and columns.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <editline/readline.h>

#include "cmd/sql/sql.h"

#define HISTORY_LINES 1000

static const char *const keywords[] = { "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "BY", "LIMIT",
	"HAVING", "DISTINCT", "JOIN", "LEFT", "USING", "AND", "OR", "NOT", "BETWEEN", "LIKE",
	"GLOB", "DESC", "WITH", "UNION", "ALL", "CASE", "WHEN", "THEN", "ELSE", "END", "count(",
	"sum(", "avg(", "min(", "max(", "percentile(", "median(", "histogram(", "bucket(",
	"duration(", ".tables", ".schema", ".mode", ".help", ".quit" };

/* ---- Completion ---- */

/* The word that is completed; readline passes no argument to its callbacks. */
static struct {
	const struct asking *asking;
	VEC(const char *) matches;
	size_t at; /* the next match */
} completion;

static void offer(const char *name, const char *text)
{
	if (strncasecmp(name, text, strlen(text)) == 0) {
		vec_push(&completion.matches, name);
	}
}

static void offer_all(const char *text)
{
	completion.matches.count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		offer(keywords[i], text);
	}
	for (const char *const *list = list_names; *list; list++) {
		offer(*list, text);
	}
	vec_foreach (struct sql_events *const *, t, &completion.asking->source.tables) {
		offer((*t)->name, text);
		vec_foreach (const struct sql_column *, c, &(*t)->columns) {
			offer(c->name, text);
		}
	}
}

/* Returns the next match, which readline frees; columns of several tables are offered once. */
static char *next_match(const char *text, int state)
{
	if (state == 0) {
		offer_all(text);
		completion.at = 0;
	}
	while (completion.at < completion.matches.count) {
		const char *name = completion.matches.items[completion.at++];
		bool was_offered = false;

		for (size_t i = 0; i + 1 < completion.at && !was_offered; i++) {
			was_offered = strcmp(completion.matches.items[i], name) == 0;
		}
		if (!was_offered) {
			return xstrdup(name);
		}
	}
	return NULL;
}

static char **complete(const char *text, int start, int end)
{
	(void)start;
	(void)end;
	rl_attempted_completion_over = 1; /* no names of files */
	return rl_completion_matches(text, next_match);
}

/* ---- History ---- */

/* Writes the name of the file to a text of `size`; false if there is no place for it. */
static bool history_file(char *path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (state && *state == '/') {
		snprintf(path, size, "%s/waymark", state);
	} else if (home && *home == '/') {
		snprintf(path, size, "%s/.local/state/waymark", home);
	} else {
		return false;
	}
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	if (mkdir(path, 0700) != 0 && errno != EEXIST) {
		return false;
	}
	size_t length = strlen(path);

	snprintf(path + length, size - length, "/sql_history");
	return true;
}

/* ---- The prompt ---- */

static bool is_complete(const char *text)
{
	return *text == '.' || sqlite3_complete(text);
}

/* Adds a line to the statement; returns the whole. */
static char *add_line(char *statement, const char *line)
{
	size_t length = statement ? strlen(statement) : 0;
	size_t more = strlen(line);

	statement = xrealloc(statement, length + more + 2);
	memcpy(statement + length, line, more);
	memcpy(statement + length + more, "\n", 2);
	return statement;
}

/* Returns the next line; NULL at the end. Ctrl-C drops the line, and the statement before it. */
static char *read_line(struct asking *a, char **statement)
{
	char *line;

	do {
		*a->source.is_interrupted = 0;
		line = readline(*statement ? "   ...> " : "waymark> ");
		if (!line) {
			putchar('\n');
			free(*statement);
			*statement = NULL;
		}
	} while (!line && *a->source.is_interrupted);
	return line;
}

static bool ask_terminal(struct asking *a)
{
	char history[4096];
	bool has_history = history_file(history, sizeof(history));
	char *statement = NULL;
	char *line;

	completion.asking = a;
	rl_initialize();
	rl_attempted_completion_function = complete;
	stifle_history(HISTORY_LINES);
	if (has_history) {
		read_history(history);
	}
	while (!a->is_over && (line = read_line(a, &statement))) {
		if (*line) {
			add_history(line);
		}
		if (*line || statement) {
			statement = add_line(statement, line);
		}
		free(line);
		if (statement && is_complete(statement)) {
			asking_run(a, statement);
			out_flush(&a->session->out);
			free(statement);
			statement = NULL;
		}
	}
	free(statement);
	if (has_history) {
		write_history(history);
	}
	vec_fini(&completion.matches);
	return true;
}

/* ---- A file ---- */

static bool ask_file(struct asking *a)
{
	char *statement = NULL;
	char *line = NULL;
	size_t size = 0;
	bool good = true;

	while (good && !a->is_over && getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line || statement) {
			statement = add_line(statement, line);
		}
		if (statement && is_complete(statement)) {
			good = asking_run(a, statement);
			free(statement);
			statement = NULL;
		}
	}
	good = good && (!statement || asking_run(a, statement));
	free(statement);
	free(line);
	return good;
}

bool ask(struct asking *a)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? ask_terminal(a) : ask_file(a);
}
