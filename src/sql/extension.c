/* SPDX-License-Identifier: MIT */
/*
 * The tables for any program with SQLite: after
 *
 *	SELECT load_extension('mod_waymark');
 *	SELECT waymark_open('my.ctf');
 *
 * a connection has the tables of the trace. waymark_declare(FILE) reads declarations of old traces
 * before; waymark_problems() returns what could not be read so far, a line each, or NULL.
 */
#include <stdio.h>
#include <string.h>

#include "api/declarations.h"
#include "read/merge.h"
#include "sql/tables.h"

/* The functions of the program's SQLite. */
const sqlite3_api_routines *sqlite3_api;

/* The traces of one waymark_open(). */
struct opened {
	struct sql_source source;
	const char **paths; /* copies */
};

/* All that a connection opened; freed with it. */
struct extension {
	struct declarations declarations;
	bool has_declarations;
	VEC(struct opened *) all;
	struct out problems;
};

static void report(void *extension, const struct read_error *error)
{
	struct extension *e = extension;

	out_printf(&e->problems, "%s%s", e->problems.len ? "\n" : "", error->text);
}

static void close_opened(struct opened *o)
{
	if (o->source.tables.count > 0) {
		sql_source_fini(&o->source);
	}
	reader_close(o->source.reader);
	for (size_t i = 0; i < o->source.count; i++) {
		free((char *)o->paths[i]);
	}
	free(o->paths);
	free(o);
}

static void free_extension(void *data)
{
	struct extension *e = data;

	vec_foreach (struct opened **, o, &e->all) {
		close_opened(*o);
	}
	vec_fini(&e->all);
	declarations_fini(&e->declarations);
	out_fini(&e->problems);
	free(e);
}

static void fail(sqlite3_context *to, struct opened *o, const char *why)
{
	char *text = sqlite3_mprintf("waymark_open: %s", why);

	sqlite3_result_error(to, text, -1);
	sqlite3_free(text);
	close_opened(o);
}

/* waymark_open(TRACE...): returns the number of events that have a table. */
static void open_traces(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct extension *e = sqlite3_user_data(to);
	struct opened *o = xcalloc(1, sizeof(*o));
	struct reader_options options = { 0 };
	struct read_error error;

	o->paths = xcalloc((size_t)argc + 1, sizeof(*o->paths));
	for (int i = 0; i < argc; i++) {
		const char *path = (const char *)sqlite3_value_text(argv[i]);

		o->paths[o->source.count++] = xstrdup(path ? path : "");
	}
	if (argc == 0 || strcmp(o->paths[0], "-") == 0) {
		fail(to, o, "give the path of a trace");
		return;
	}
	options.declarations = e->has_declarations ? &e->declarations.model : NULL;
	o->source.paths = o->paths;
	o->source.declarations = options.declarations;
	o->source.report = report;
	o->source.data = e;
	o->source.reader = merge_open(o->paths, o->source.count, &options, &error);
	if (!o->source.reader) {
		fail(to, o, error.text);
		return;
	}
	o->source.kept_max = SQL_KEPT_MAX;
	sql_source_init(&o->source);
	vec_push(&e->all, o);
	if (sql_attach(sqlite3_context_db_handle(to), &o->source) == SQLITE_OK) {
		sqlite3_result_int64(to, (sqlite3_int64)o->source.tables.count - 1);
	} else {
		sqlite3_result_error(to, sqlite3_errmsg(sqlite3_context_db_handle(to)), -1);
	}
}

/* waymark_declare(FILE): returns the number of declared events. */
static void declare(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct extension *e = sqlite3_user_data(to);
	const char *path = (const char *)sqlite3_value_text(argv[0]);

	(void)argc;
	if (path && declarations_add(&e->declarations, path)) {
		e->has_declarations = true;
		sqlite3_result_int64(to, (sqlite3_int64)e->declarations.model.events.count);
		return;
	}
	const struct out *faults = &e->declarations.diag.out;

	sqlite3_result_error(to, path ? faults->data : "waymark_declare: give a file",
		path ? (int)faults->len - 1 : -1);
	e->declarations.diag.out.len = 0;
}

static void show_problems(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	const struct extension *e = sqlite3_user_data(to);

	(void)argc;
	(void)argv;
	if (e->problems.len > 0) {
		sqlite3_result_text(to, e->problems.data, (int)e->problems.len, SQLITE_TRANSIENT);
	}
}

/*
 * True if the connection has the extension already. Its functions must not be replaced: that would
 * free the traces, whose tables remain.
 */
static bool is_loaded(sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	/* An authorizer refuses a function that exists with another error than this one. */
	bool is_missing = sqlite3_prepare_v2(db, "SELECT waymark_problems()", -1, &statement,
				  NULL) == SQLITE_ERROR;

	sqlite3_finalize(statement);
	return !is_missing;
}

int sqlite3_modwaymark_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);

/* Called by SQLite, which makes the name from the file's: mod_waymark.so. */
__attribute__((visibility("default"))) int sqlite3_modwaymark_init(
	sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
	SQLITE_EXTENSION_INIT2(api);
	if (sqlite3_libversion_number() < 3038000) {
		*error = sqlite3_mprintf(
			"waymark needs SQLite 3.38, this is %s", sqlite3_libversion());
		return SQLITE_ERROR;
	}
	if (is_loaded(db)) {
		return SQLITE_OK;
	}
	struct extension *e = xcalloc(1, sizeof(*e));
	/* Opening reads files, so no view or trigger of a foreign database may do it. */
	const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;

	declarations_init(&e->declarations);
	out_init(&e->problems, OUT_TO_MEMORY);
	int result = sqlite3_create_function_v2(
		db, "waymark_open", -1, flags, e, open_traces, NULL, NULL, free_extension);

	if (result == SQLITE_OK) {
		result = sqlite3_create_function_v2(
			db, "waymark_declare", 1, flags, e, declare, NULL, NULL, NULL);
	}
	if (result == SQLITE_OK) {
		result = sqlite3_create_function_v2(
			db, "waymark_problems", 0, flags, e, show_problems, NULL, NULL, NULL);
	}
	return result == SQLITE_OK ? sql_add_functions(db) : result;
}
