/* SPDX-License-Identifier: MIT */
/*
 * The tables beside those of events (view/lists.h): list_rows.c reads their rows, lists.c is what
 * SQLite calls. Private to both.
 */
#ifndef SQL_LISTS_H
#define SQL_LISTS_H

#include "sql/kept.h"
#include "view/lists.h"

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
	struct list_row made;
	struct cell cells[LIST_VALUES]; /* of it */
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

/* How a table is read. */
struct list {
	bool needs_events; /* else gaps are enough */
	void (*begin)(struct list_cursor *c);
	/* Fills the cells of the next row; false at the end. */
	bool (*next)(struct list_cursor *c);
};

extern const struct list sql_lists[LIST_KINDS];

/* Frees what the rows are made of. */
void list_forget(struct list_cursor *c);

#endif
