/* SPDX-License-Identifier: MIT */
/*
 * The tables of events as SQLite calls them: one for each event, and one for all. Their rows come
 * from the scan of rows.c, or from those that join.c keeps.
 */

#include "sql/events.h"

static int connect(sqlite3 *db, void *events, int argc, const char *const *argv,
	sqlite3_vtab **vtab, char **error)
{
	struct sql_events *t = events;
	sqlite3_str *text = sqlite3_str_new(db);

	(void)argc;
	(void)argv;
	(void)error;
	sqlite3_str_appendall(text, "CREATE TABLE x(");
	vec_foreach (const struct sql_column *, c, &t->columns) {
		sqlite3_str_appendf(text, "%s\"%w\" %s%s", c > t->columns.items ? "," : "", c->name,
			c->type, c->is_hidden ? " HIDDEN" : "");
	}
	sqlite3_str_appendall(text, ")");
	char *declaration = sqlite3_str_finish(text);
	int result = declaration ? sqlite3_declare_vtab(db, declaration) : SQLITE_NOMEM;

	sqlite3_free(declaration);
	if (result == SQLITE_OK) {
		struct events_table *table = xcalloc(1, sizeof(*table));

		table->events = t;
		*vtab = &table->base;
	}
	return result;
}

static int disconnect(sqlite3_vtab *vtab)
{
	free(vtab);
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
	struct sql_events *events = ((struct events_table *)vtab)->events;

	sql_open_cursor(events->source);
	*cursor = &events_cursor_new(events)->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct events_cursor *c = (struct events_cursor *)base;

	struct sql_source *source = c->table->source;

	join_leave(c);
	events_cursor_free(c);
	sql_close_cursor(source);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct events_cursor *c = (struct events_cursor *)base;

	if (UNLIKELY(c->is_joined)) {
		join_next(c->join);
		return SQLITE_OK;
	}
	return events_next(c);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	const struct events_cursor *c = (const struct events_cursor *)base;

	return UNLIKELY(c->is_joined) ? join_is_at_end(c->join) : c->is_at_end;
}

static int show(sqlite3_vtab_cursor *base, sqlite3_context *to, int column)
{
	struct events_cursor *c = (struct events_cursor *)base;

	if (UNLIKELY(c->is_joined)) {
		join_show(c->join, column, to);
		return SQLITE_OK;
	}
	struct cell cell = events_cell(c, (size_t)column);

	cell_show(&cell, to);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
	const struct events_cursor *c = (const struct events_cursor *)base;

	*row = c->is_joined ? join_row(c->join) : events_row(c);
	return SQLITE_OK;
}

int sql_add_events(sqlite3 *db, struct sql_events *table)
{
	static const sqlite3_module module = {
		.xConnect = connect,
		.xBestIndex = plan_best,
		.xDisconnect = disconnect,
		.xDestroy = disconnect,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = plan_filter,
		.xNext = next,
		.xEof = is_at_end,
		.xColumn = show,
		.xRowid = rowid,
	};

	return sqlite3_create_module(db, table->name, &module, table);
}
