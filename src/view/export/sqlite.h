/* SPDX-License-Identifier: MIT */
/*
 * A database of SQLite as an export, with the tables and columns that `waymark sql` has
 * (sql/tables.h), except those that a query can compute: sqlite.c writes the rows, sqlite_tables.c
 * makes the tables. Private to these files.
 */
#ifndef VIEW_EXPORT_SQLITE_H
#define VIEW_EXPORT_SQLITE_H

#include <sqlite3.h>

#include "analyse/lives.h"
#include "analyse/pairs.h"
#include "analyse/summary.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "view/export/export.h"

/* The tables of an event have the row number of `events`. Its parameters come first. */
enum sqlite_parameter {
	PARAMETER_ROW = 1,
	PARAMETER_TIME,
	PARAMETER_PID,
	PARAMETER_TID,
	PARAMETER_PROCESS,
	PARAMETER_TRACE,
	PARAMETER_FIRST, /* the first field; in `events`, the name */
};

/* The table of all events of one name, which traces may declare in several ways. */
struct sqlite_table {
	const char *name; /* in SQL */
	const char *own[PARAMETER_FIRST]; /* names of the columns that are no fields */
	struct hash used; /* names of columns, in small letters */
	struct hash fields; /* names of columns, by field */
};

/* The insertion into the table of an event. It keeps the texts of the last row's trace. */
struct sqlite_insert {
	sqlite3_stmt *statement; /* NULL until needed */
	uint32_t trace;
	bool has_trace;
};

/* The tables of lists, in the order of sqlite_tables.c. */
enum sqlite_list {
	LIST_GAPS,
	LIST_SCOPES,
	LIST_LIVES,
	LIST_THREADS,
	LIST_PROCESSES,
	LIST_DECLARATIONS,
	LIST_EVENTS,
	LIST_COUNT,
};

struct sqlite {
	struct export *export;
	sqlite3 *db;
	struct arena arena;
	struct hash used; /* names of tables, in small letters */
	struct hash tables; /* struct sqlite_table, by event */
	VEC(struct sqlite_table *) all;
	VEC(struct sqlite_insert) inserts; /* by class index */
	struct sqlite_insert insert_event; /* into `events` */
	sqlite3_stmt *lists[LIST_COUNT]; /* insertions */
	int64_t events; /* number so far, the row of the last one */
	struct pairs pairs;
	struct lives lives;
	struct lives_options lives_options;
	struct summary summary;
	bool has_failed; /* the first error is in export->error */
};

/* Returns false, and sets the error unless there is one, if `result` is an error. */
bool sqlite_check(struct sqlite *s, int result);

/* Runs statements. */
bool sqlite_run(struct sqlite *s, const char *sql);

/* Opens the database, and makes the tables that every database has. */
bool sqlite_open(struct sqlite *s);
void sqlite_close(struct sqlite *s);

/* Returns the insertion for events of a class; makes or extends their table. NULL on failure. */
sqlite3_stmt *sqlite_make_insert(struct sqlite *s, const struct event_class *class);

#endif
