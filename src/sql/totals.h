/* SPDX-License-Identifier: MIT */
/*
 * Totals of many events, without SQLite for each: a statement that groups one table of events by
 * integers or names, counts, and adds up integers, is computed in one pass over the batches of the
 * reader. SQLite then runs the statement with the groups as its table, so expressions, HAVING,
 * ORDER BY and LIMIT are its own. A statement of any other form is left to SQLite as it is.
 *
 *	totals_plan.c  recognizes such a statement, and writes the one about the groups
 *	tokens.c       cuts it into tokens
 *	totals.c       computes the groups
 *	groups.c       makes them a table
 */
#ifndef SQL_TOTALS_H
#define SQL_TOTALS_H

#include "sql/events.h"

#define TOTALS_KEYS_MAX 4
#define TOTALS_SUMS_MAX 16

/* A number to group by: a column, or a column and a constant above 0. */
struct total_key {
	size_t column;
	char op; /* '/', '%', '&', '>' for a shift, or 0 */
	int64_t number;
};

enum total_function { TOTAL_COUNT, TOTAL_SUM, TOTAL_MIN, TOTAL_MAX, TOTAL_AVG };

/* An aggregate of the statement. */
struct total_sum {
	enum total_function function;
	bool is_of_rows; /* count(*) */
	size_t column;
};

struct totals {
	struct sql_events *table;
	struct total_key keys[TOTALS_KEYS_MAX];
	size_t key_count;
	struct total_sum sums[TOTALS_SUMS_MAX];
	size_t sum_count;
	VEC(struct condition) conditions; /* all must be true */
	struct out statement; /* about the table of the groups */
};

/* The table of the groups, which no statement names, and the begin of its columns' names. */
#define TOTALS_TABLE "totals of waymark"
#define TOTALS_COLUMN "waymark_"

/*
 * Recognizes a statement. `rest` gets the text behind it. Returns false, with nothing to free, if
 * it has another form.
 */
bool totals_plan(struct totals *t, sqlite3 *db, const struct sql_source *s, const char *text,
	const char **rest);
void totals_fini(struct totals *t);

/*
 * Computes the groups into the table temp."totals of waymark", which it makes anew. Returns a
 * result of SQLite; SQLITE_MISMATCH if SQLite must run the statement itself: a sum is too large, a
 * value is no integer, or there are too many groups.
 */
int totals_compute(struct totals *t, sqlite3 *db);

#endif
