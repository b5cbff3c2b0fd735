/* SPDX-License-Identifier: MIT */
/*
 * Traces as tables of SQLite. Nothing is imported: a table is a virtual one, whose cursor reads the
 * trace. Every event has a table of its own, with its fields as columns; `events` has all of them;
 * lists.c has the tables of losses, scopes, threads and processes. The tables exist without CREATE:
 * each is a module that SQLite connects at its first use, so thousands of them cost nothing.
 *
 *	source.c     the traces, and the names of tables and columns
 *	events.c     the tables of events
 *	plan.c       what a query's conditions let the reader leave out
 *	join.c       rows of an event by the value of a field, for joins
 *	kept.c       rows of a list, for joins
 *	rows.c       rows of an event in the order of time, and the values of their columns
 *	lists.c      the other tables
 *	statement.c  prepares statements, and explains errors
 *	totals.c     statements that only count and add up, without SQLite for each event
 *	functions.c  percentile(), median(), histogram(), bucket(), duration()
 *	extension.c  all that for any program with SQLite: load_extension()
 *
 * A source belongs to one connection, and so to one thread at a time.
 */
#ifndef SQL_TABLES_H
#define SQL_TABLES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "base/vec.h"
#include "read/filter.h"
#include "read/reader.h"
#include "sql/sqlite.h"
#include "view/lists.h"

/* Limit of the bytes of rows that queries keep, unless the user sets another. */
#define SQL_KEPT_MAX ((size_t)1 << 30)

/* The part of a record that a column shows. */
enum column_kind {
	COLUMN_TIME,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_PROCESS,
	COLUMN_HOST,
	COLUMN_TRACE,
	COLUMN_EVENT,
	COLUMN_MESSAGE,
	COLUMN_JSON,
	COLUMN_FIELD,
	COLUMN_NAMES, /* of a field's value, or of its bits */
};

struct sql_column {
	const char *name; /* in SQL */
	const char *field; /* of COLUMN_FIELD and COLUMN_NAMES: its name in the trace */
	const char *type; /* as SQLite declares it */
	enum column_kind kind;
	bool is_hidden; /* not in `SELECT *` */
};

/* A table of events. */
struct sql_events {
	struct sql_source *source;
	const char *name; /* in SQL */
	const char *event; /* NULL: of all events */
	VEC(struct sql_column) columns;
	VEC(const struct event *) declared; /* declarations of the event, until columns are named */
};

/* What a cursor left for another one of the same statement, see join_resume(). */
struct left_join {
	char *lookup; /* with the table, names it */
	const struct sql_events *table;
	struct join *join; /* NULL: not made */
	unsigned int lookups;
	bool is_too_large;
};

struct kept_rows;

/* The traces of a connection. */
struct sql_source {
	const char *const *paths;
	size_t count;
	const struct model *declarations; /* NULL: none */
	const struct filter *selection; /* of every table, without patterns; NULL: all records */
	/* Reports what cannot be read; the rest is. Called for each scan of the traces. */
	void (*report)(void *data, const struct read_error *error);
	void *data;
	/* What statements may do, as sqlite3_set_authorizer() asks it; NULL: anything. */
	int (*authorize)(void *data, int action, const char *one, const char *two,
		const char *three, const char *four);
	/* Set by a signal handler or another thread; NULL: nothing interrupts. */
	volatile sig_atomic_t *is_interrupted;
	size_t kept_max; /* as SQL_KEPT_MAX */
	struct reader *reader; /* of the traces, for their classes; tables open their own */
	/* Set by sql_source_init(): */
	VEC(struct sql_events *) tables; /* the first is that of all events */
	struct hash by_name; /* of tables, in small letters */
	struct hash by_event;
	size_t open_cursors; /* of all tables */
	VEC(struct left_join) left; /* see join_leave() */
	struct kept_rows *lists; /* rows of the tables of lists.c, in their order */
	size_t list_count;
	size_t kept; /* bytes that these and joins keep */
	struct arena arena;
};

/*
 * Makes the tables of the events. The caller has set the members up to `reader`, and zeroed the
 * others. Reads traces that do not declare their events once.
 */
void sql_source_init(struct sql_source *s);

void sql_source_fini(struct sql_source *s);

static inline bool sql_is_interrupted(const struct sql_source *s)
{
	return s->is_interrupted && __atomic_load_n(s->is_interrupted, __ATOMIC_RELAXED);
}

/* Adds the tables to a connection, or replaces those of the same names. Returns a result of SQLite.
 */
int sql_attach(sqlite3 *db, struct sql_source *s);

/* Adds the functions. SQLite refuses to replace them while a statement runs. */
int sql_add_functions(sqlite3 *db); /* functions.c */

/* Parts of sql_attach(). */
int sql_add_events(sqlite3 *db, struct sql_events *table); /* events.c */
int sql_add_lists(sqlite3 *db, struct sql_source *s); /* lists.c */

/* Counts a cursor that is opened, or closed: what queries kept is freed with the last one. */
static inline void sql_open_cursor(struct sql_source *s)
{
	s->open_cursors++;
}

void sql_close_cursor(struct sql_source *s); /* join.c */

#endif
