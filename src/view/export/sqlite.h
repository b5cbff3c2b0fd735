/* SPDX-License-Identifier: MIT */
/*
 * A database of SQLite as an export, with the tables and columns that `waymark sql` has
 * (sql/tables.h), except those that a query can compute: sqlite.c writes the rows, sqlite_tables.c
 * knows the tables and has SQLite make them, sqlite_pages.c stores the rows. Private to these
 * files.
 */
#ifndef VIEW_EXPORT_SQLITE_H
#define VIEW_EXPORT_SQLITE_H

#include <sqlite3.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "view/export/export.h"
#include "view/export/sqlite_pages.h"
#include "view/lists.h"

/* The part of a record that is a column of its event's table. */
enum sqlite_source {
	SOURCE_TIME,
	SOURCE_PID,
	SOURCE_TID,
	SOURCE_PROCESS,
	SOURCE_TRACE,
	SOURCE_RAW, /* bytes of an event without a declaration */
	SOURCE_FIELD,
};

struct sqlite_column {
	enum sqlite_source source;
	const char *field; /* of SOURCE_FIELD: its name in the trace */
	int type; /* of SQLite; 0: none */
	bool is_mixed; /* a value is of another type, so the column has none */
	const char *name; /* in SQL */
	const char *names; /* the column behind it, which names its values; NULL: none */
};

struct sqlite_table {
	const char *name; /* in SQL */
	struct sqlite_tree tree;
	int64_t rows; /* in tables of lists */
	/* Of an event, which traces may declare in several ways: */
	struct hash used; /* names of columns, in small letters */
	struct hash fields; /* names of fields that have a column */
	VEC(struct sqlite_column) columns;
};

/* The table of a class of events. */
struct sqlite_class {
	struct sqlite_table *table; /* NULL until needed */
	int *fields; /* by column: index of the field; -1: none */
	size_t count; /* of columns that the table had when the class was met */
};

/* The tables that every database has: the lists, and that of all events. */
enum { LIST_EVENTS = LIST_KINDS, LIST_COUNT };

struct sqlite {
	struct export *export;
	struct sqlite_pages pages;
	int fd; /* of the file; below 0: not open */
	struct arena arena;
	struct hash used; /* names of tables, in small letters */
	struct hash by_event; /* struct sqlite_table */
	VEC(struct sqlite_table *) tables; /* those of lists are first */
	VEC(struct sqlite_class) classes; /* by class index */
	struct list_row made; /* of a list */
	struct sqlite_row row; /* the one that is being made */
	struct sqlite_row row_of_all; /* the same of the table `events` */
	int64_t events; /* number so far, the row of the last one */
	struct pairs pairs;
	struct lives lives;
	struct lives_options lives_options;
	struct summary summary;
	bool has_failed; /* the first error is in export->error */
};

/* Returns false, and sets the error unless there is one, if `error` is an errno. */
bool sqlite_check_file(struct sqlite *s, int error);

/* Makes the file, and the tables that every database has. */
bool sqlite_open(struct sqlite *s);

/* Ends the tables, and has SQLite make them in the file. */
void sqlite_finish(struct sqlite *s);

void sqlite_close(struct sqlite *s);

/* Sets the table and the fields of a class; makes or extends the table. */
void sqlite_bind_class(struct sqlite *s, struct sqlite_class *c, const struct event_class *class);

#endif
