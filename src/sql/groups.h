/* SPDX-License-Identifier: MIT */
/*
 * The groups of a statement while they are counted: totals.c counts, groups.c makes them a table of
 * SQLite. Private to both.
 */
#ifndef SQL_GROUPS_H
#define SQL_GROUPS_H

#include "read/sections.h"
#include "sql/totals.h"

#define NONE UINT32_MAX

struct total {
	int64_t sum;
	int64_t min;
	int64_t max;
};

struct group {
	int64_t keys[TOTALS_KEYS_MAX];
	uint64_t count;
	size_t totals; /* index of its first one */
};

/* The declaration that gives names to a key's values. */
struct naming {
	const struct arg *arg; /* NULL: not met yet */
	size_t class; /* index of its class */
};

/* What one thread counts. */
struct counting {
	struct totals *plan;
	struct events_cursor *c;
	struct sql_source source; /* the table's; if the trace is divided, it reports no problems */
	bool has_problem;
	VEC(struct group) groups;
	VEC(struct total) totals;
	uint32_t *slots; /* indices of groups; NONE: free. At most half are used */
	size_t slot_count;
	uint32_t last; /* the group of the last event; NONE: none yet */
	struct naming named[TOTALS_KEYS_MAX];
	bool is_misfit; /* SQLite must run the statement */
	SECTIONS_APART;
};

/* Makes the table of the groups, in their order. Returns a result of SQLite. */
int groups_fill(struct counting *n, sqlite3 *db);

#endif
