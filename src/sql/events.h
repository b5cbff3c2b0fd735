/* SPDX-License-Identifier: MIT */
/*
 * The cursor of a table of events. Calls lead from events.c to plan.c, join.c and rows.c.
 */
#ifndef SQL_EVENTS_H
#define SQL_EVENTS_H

#include "read/layout.h"
#include "sql/tables.h"
#include "view/lines.h"

/* ---- The records for one query ---- */

/*
 * The records of a source's traces for one query, opened anew: a query of a growing trace sees what
 * it has then. One thread.
 */

#define SCAN_FEW 64

struct sql_scan {
	const struct sql_source *source;
	struct reader *reader;
	/* The source's selection. A query may narrow it before sql_scan_open(). */
	struct filter filter;
	bool filters;
	bool is_interrupted; /* the last call returned 0 for that reason */
	struct read_error error; /* of sql_scan_open() */
};

/* Sets up the filter, without reading. */
void sql_scan_init(struct sql_scan *s, const struct sql_source *source);

/* Opens the traces. Returns false with the reason in `error`. */
bool sql_scan_open(struct sql_scan *s);
void sql_scan_fini(struct sql_scan *s);

/*
 * Returns the next records of the selection, at most SCAN_FEW, valid until the next call; 0 at the
 * end. Reports problems to the source.
 */
size_t sql_scan_few(struct sql_scan *s, struct record *records);

/* A class as a table sees it. */
struct fit {
	bool is_known;
	bool is_wanted; /* an event of the table */
	struct place *places; /* by column */
	size_t name; /* index of the first class with its name */
	struct message *message; /* NULL until needed */
};

enum cell_type { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT, CELL_BLOB };

/* A value in a row. */
struct cell {
	union {
		int64_t integer;
		double real;
		const char *text; /* or bytes; valid until the next row or cell */
	};
	int length;
	uint8_t type; /* of enum cell_type */
};

enum pattern_kind { PATTERN_EXACT, PATTERN_GLOB, PATTERN_LIKE };

enum comparison { IS_EQUAL, IS_ABOVE, IS_AT_LEAST, IS_BELOW, IS_AT_MOST };

/* A condition that is tested before SQLite sees the row. SQLite tests it once more. */
struct condition {
	uint16_t column;
	uint8_t comparison;
	int64_t number;
};

static inline bool condition_is_met(const struct condition *k, int64_t v)
{
	switch (k->comparison) {
	case IS_EQUAL:
		return v == k->number;
	case IS_ABOVE:
		return v > k->number;
	case IS_AT_LEAST:
		return v >= k->number;
	case IS_BELOW:
		return v < k->number;
	default:
		return v <= k->number;
	}
}

struct events_cursor {
	sqlite3_vtab_cursor base;
	struct sql_events *table;
	struct sql_scan scan;
	bool is_at_end;
	struct record records[SCAN_FEW];
	size_t count;
	size_t at;
	const struct record *rec; /* the current one */
	const struct fit *fit; /* of it */
	const struct value *values; /* its decoded fields; NULL until needed */
	VEC(struct fit) fits; /* by class index */
	VEC(struct condition) conditions;
	char *pattern; /* of the names of events; NULL: all */
	enum pattern_kind pattern_kind;
	struct arena arena;
	struct out text; /* a message or JSON */
	struct lines lines; /* for JSON */
	bool has_lines;
	uint64_t used; /* columns that the query uses, one bit each, the last for all further */
	unsigned int lookups; /* how often a value of one field was looked up */
	bool is_too_large; /* its rows: they are not kept, but read for each value */
	struct join *join; /* the rows by that field; NULL: not kept yet */
	char *lookup; /* names what `join` has: the plan and its constants; NULL: no lookup yet */
	bool is_joined; /* rows come from there, not from the scan */
};

/* The connected table. */
struct events_table {
	sqlite3_vtab base;
	struct sql_events *events;
};

/* ---- rows.c ---- */

struct events_cursor *events_cursor_new(struct sql_events *table);
void events_cursor_free(struct events_cursor *c);

/* Forgets the last scan. */
void events_reset(struct events_cursor *c);

/* Begins with the first record that meets the conditions. Returns a result of SQLite. */
int events_begin(struct events_cursor *c);
int events_next(struct events_cursor *c);

/* Opens the scan; false with the reason in its error. For callers that take its batches. */
bool events_open(struct events_cursor *c);

/* Returns the table's view of a class. */
const struct fit *events_fit(struct events_cursor *c, const struct event_class *class);

/* Returns the name of an argument's value, or the names of its bits. */
struct cell events_names(struct events_cursor *c, const struct arg *arg, uint64_t v);

/* Returns a column of the current record. */
struct cell events_cell(struct events_cursor *c, size_t column);
void cell_show(const struct cell *cell, sqlite3_context *to);

/*
 * Returns the current record's number, the same in every scan: SQLite finds by it in RIGHT JOIN and
 * OR which rows of one scan another one has, too.
 */
int64_t events_row(const struct events_cursor *c);

/* Spreads the bits of a number, for hashes. */
static inline uint64_t mix_bits(uint64_t v)
{
	v = (v ^ v >> 32) * UINT64_C(0x9E3779B97F4A7C15);
	return v ^ v >> 29;
}

/* Sets the table's error. Returns SQLITE_ERROR. */
int events_fail(struct events_cursor *c, const char *text);

/* ---- plan.c ---- */

/* Narrows the scan, before it is opened, to the times or the thread that a condition allows. */
void plan_narrow(struct events_cursor *c, const struct condition *k);

/* Functions of sqlite3_module. */
int plan_best(sqlite3_vtab *base, sqlite3_index_info *info);
int plan_filter(
	sqlite3_vtab_cursor *base, int number, const char *plan, int argc, sqlite3_value **argv);

/* ---- join.c ---- */

/*
 * Keeps all rows that the cursor's scan has from now on, by the value of column `key`. Sets
 * *result, of SQLite, and returns NULL if the scan fails, or, with is_too_large, if the rows exceed
 * the limit of what is kept.
 */
struct join *join_make(struct events_cursor *c, size_t key, int *result);
void join_free(struct join *j, struct sql_source *s);

/*
 * A subquery that depends on the row of another query has a new cursor for each: takes over what
 * the cursor before it with the same `lookup` left, if a statement still runs.
 */
void join_resume(struct events_cursor *c);

/* Leaves it for such a cursor. */
void join_leave(struct events_cursor *c);

/*
 * True if the rows that equal the value have the same bytes as key; SQLite may compare a number
 * with a text in two ways.
 */
bool join_can_find(const struct events_cursor *c, size_t key, sqlite3_value *value);

/* Moves to the first row with that value, then to the next one. */
void join_find(struct join *j, sqlite3_value *value);
void join_next(struct join *j);

bool join_is_at_end(const struct join *j);
void join_show(const struct join *j, int column, sqlite3_context *to);
int64_t join_row(const struct join *j);

#endif
