/* SPDX-License-Identifier: MIT */
/*
 * The tables beside those of events: list_rows.c has the table of them and makes their rows,
 * lists.c is what SQLite calls. Private to both.
 */
#ifndef SQL_LISTS_H
#define SQL_LISTS_H

#include "analyse/lives.h"
#include "analyse/pairs.h"
#include "analyse/summary.h"
#include "sql/kept.h"

#define LIST_CELLS 15

struct list;

/* A life that has ended, and its texts. */
struct ended_life {
	struct life life;
	char *key;
	char *path;
};

struct list_cursor {
	sqlite3_vtab_cursor base;
	const struct list *list;
	struct sql_source *source;
	struct kept_rows *kept; /* of the table */
	bool is_kept; /* rows come from there, not from the scan */
	struct sql_scan scan;
	bool is_scanning;
	struct record records[SCAN_FEW];
	size_t count;
	size_t at;
	size_t index; /* of a row, an event or a scope without end */
	size_t field;
	int64_t row;
	bool is_at_end;
	struct cell cells[LIST_CELLS];
	struct out text; /* of a cell */
	struct summary summary;
	struct pairs pairs;
	bool has_pairs;
	bool has_summary;
	VEC(struct scope_span) open; /* scopes that have not ended, at the end */
	struct lives lives;
	struct lives_options lives_options;
	bool has_lives;
	bool is_life_over; /* all records were added */
	VEC(struct ended_life) ended; /* rows to come; `index` is the next one */
};

/* A table. */
struct list {
	const char *name;
	const char *columns;
	bool needs_events; /* else gaps are enough */
	void (*begin)(struct list_cursor *c);
	/* Fills the cells of the next row; false at the end. */
	bool (*next)(struct list_cursor *c);
};

#define LISTS 6

extern const struct list sql_lists[LISTS];

/* Frees what the rows are made of. */
void list_forget(struct list_cursor *c);

#endif
