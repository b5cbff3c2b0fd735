/* SPDX-License-Identifier: MIT */
/* Prepares statements, by totals.c where it can, and explains errors: see statement.h. */
#include "sql/statement.h"

#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "sql/totals.h"

/*
 * Prepares a statement about totals that are computed beforehand. Returns a result of SQLite;
 * SQLITE_MISMATCH if the statement has another form.
 */
static int prepare_totals(struct sql_source *s, sqlite3 *db, const char *text,
	sqlite3_stmt **statement, const char **rest)
{
	struct totals t;

	if (!totals_plan(&t, db, s, text, rest)) {
		return SQLITE_MISMATCH;
	}
	/* The table of the totals is made by us, not by the statement. */
	sqlite3_set_authorizer(db, NULL, NULL);
	int result = totals_compute(&t, db);

	sqlite3_set_authorizer(db, s->authorize, s->data);
	if (result == SQLITE_OK &&
		sqlite3_prepare_v2(db, t.statement.data, -1, statement, NULL) != SQLITE_OK) {
		result = SQLITE_MISMATCH; /* the error must be that of the user's text */
	}
	totals_fini(&t);
	return result;
}

int sql_prepare(struct sql_source *s, sqlite3 *db, const char *text, sqlite3_stmt **statement,
	const char **rest)
{
	*statement = NULL;
	sqlite3_set_authorizer(db, s->authorize, s->data);
	int result = prepare_totals(s, db, text, statement, rest);

	return result == SQLITE_MISMATCH ? sqlite3_prepare_v2(db, text, -1, statement, rest)
					 : result;
}

/* Offers the names of tables or columns. */
static void offer_names(struct nearest *near, const struct sql_source *s, bool columns)
{
	for (const char *const *list = list_names; *list && !columns; list++) {
		nearest_offer(near, *list);
	}
	vec_foreach (struct sql_events *const *, t, &s->tables) {
		if (!columns) {
			nearest_offer(near, (*t)->name);
		}
		for (size_t i = 0; columns && i < (*t)->columns.count; i++) {
			nearest_offer(near, (*t)->columns.items[i].name);
		}
	}
}

struct sql_fault sql_fault(const struct sql_source *s, sqlite3 *db)
{
	struct sql_fault f = {
		.text = sqlite3_errmsg(db),
		.near = "",
		.at = sqlite3_error_offset(db),
		.is_refused = sqlite3_errcode(db) == SQLITE_AUTH,
	};
	bool is_column = strncmp(f.text, "no such column: ", 16) == 0;
	bool is_table = strncmp(f.text, "no such table: ", 15) == 0;
	const char *name = strrchr(f.text, ' ');

	if (is_column || is_table) {
		name = is_column && strrchr(name, '.') ? strrchr(name, '.') : name;
		struct nearest near = nearest_begin(name + 1, strlen(name + 1));

		offer_names(&near, s, is_column);
		/* A column of another table may have that very name. */
		f.near = nearest_is_near(&near) && strcasecmp(near.name, name + 1) != 0 ? near.name
											: "";
	}
	return f;
}
