/* SPDX-License-Identifier: MIT */
/* Statements about the tables of a source, and why one is wrong. For programs that ask users. */
#ifndef SQL_STATEMENT_H
#define SQL_STATEMENT_H

#include "sql/tables.h"

/*
 * Prepares the first statement of a text, and sets `rest` to the text behind it. A statement that
 * only counts and adds up is computed here, by totals.c. Returns a result of SQLite; `statement` is
 * NULL if there is none, as in a comment. It may do what source->authorize allows.
 */
int sql_prepare(struct sql_source *s, sqlite3 *db, const char *text, sqlite3_stmt **statement,
	const char **rest);

/* Why the last statement failed. */
struct sql_fault {
	const char *text; /* of SQLite; valid until the next call of it */
	const char *near; /* a name that exists, nearest to the one that does not; "": none */
	int at; /* byte offset in the statement; -1: unknown */
	bool is_refused; /* source->authorize does not allow it */
};

struct sql_fault sql_fault(const struct sql_source *s, sqlite3 *db);

#endif
