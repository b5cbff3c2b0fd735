/* SPDX-License-Identifier: MIT */
/* Makes counted groups a temporary table, which the rewritten statement reads. */
#include "sql/groups.h"

#include <stdlib.h>
#include <string.h>

static int run(sqlite3 *db, const char *text)
{
	return sqlite3_exec(db, text, NULL, NULL, NULL);
}

static int make_table(const struct totals *t, sqlite3 *db, sqlite3_stmt **insert)
{
	sqlite3_str *make = sqlite3_str_new(db);
	sqlite3_str *fill = sqlite3_str_new(db);

	sqlite3_str_appendall(make, "CREATE TEMP TABLE \"" TOTALS_TABLE "\"(");
	sqlite3_str_appendall(fill, "INSERT INTO temp.\"" TOTALS_TABLE "\" VALUES(");
	for (size_t i = 0; i < t->key_count; i++) {
		const char *type = t->table->columns.items[t->keys[i].column].type;

		sqlite3_str_appendf(make, "%s" TOTALS_COLUMN "k%d %s", i ? "," : "", (int)i, type);
		sqlite3_str_appendall(fill, i ? ",?" : "?");
	}
	for (size_t i = 0; i < t->sum_count; i++) {
		sqlite3_str_appendf(
			make, "%s" TOTALS_COLUMN "s%d", t->key_count + i ? "," : "", (int)i);
		sqlite3_str_appendall(fill, t->key_count + i ? ",?" : "?");
	}
	sqlite3_str_appendall(make, ")");
	sqlite3_str_appendall(fill, ")");
	char *make_text = sqlite3_str_finish(make);
	char *fill_text = sqlite3_str_finish(fill);
	int result = run(db, "DROP TABLE IF EXISTS temp.\"" TOTALS_TABLE "\"");

	result = result == SQLITE_OK ? run(db, make_text) : result;
	if (result == SQLITE_OK) {
		result = sqlite3_prepare_v2(db, fill_text, -1, insert, NULL);
	}
	sqlite3_free(make_text);
	sqlite3_free(fill_text);
	return result;
}

/* Binds a key: an integer, the name of an event, or the names of a value. */
static void bind_key(struct counting *n, sqlite3_stmt *insert, size_t i, int64_t v)
{
	const struct totals *t = n->plan;
	const struct sql_column *column = &t->table->columns.items[t->keys[i].column];
	int at = (int)i + 1;

	if (column->kind == COLUMN_EVENT) {
		const struct event_class *class = n->c->scan.reader->classes.all.items[(size_t)v];

		sqlite3_bind_text(insert, at, class->name, -1, SQLITE_STATIC);
	} else if (column->kind == COLUMN_NAMES) {
		struct cell name = events_names(n->c, n->named[i].arg, (uint64_t)v);

		sqlite3_bind_text(insert, at, name.text, name.length, SQLITE_TRANSIENT);
	} else {
		sqlite3_bind_int64(insert, at, v);
	}
}

static void bind_sum(struct counting *n, sqlite3_stmt *insert, size_t i, const struct group *g)
{
	const struct total_sum *s = &n->plan->sums[i];
	const struct total *t = &n->totals.items[g->totals + i];
	int at = (int)(n->plan->key_count + i) + 1;

	if (s->function == TOTAL_COUNT) {
		sqlite3_bind_int64(insert, at, (sqlite3_int64)g->count);
	} else if (g->count == 0) {
		sqlite3_bind_null(insert, at);
	} else if (s->function == TOTAL_AVG) {
		sqlite3_bind_double(insert, at, (double)t->sum / (double)g->count);
	} else {
		sqlite3_bind_int64(insert, at,
			s->function == TOTAL_SUM   ? t->sum
			: s->function == TOTAL_MIN ? t->min
						   : t->max);
	}
}

static int compare_keys(const struct counting *n, size_t key, int64_t x, int64_t y)
{
	struct event_class *const *classes = n->c->scan.reader->classes.all.items;

	if (n->plan->table->columns.items[n->plan->keys[key].column].kind == COLUMN_EVENT) {
		return strcmp(classes[x]->name, classes[y]->name);
	}
	return (x > y) - (x < y);
}

/* The statement gives groups in the order of their keys, unless it has another. */
static int compare_groups(const void *a, const void *b, void *counting)
{
	const struct counting *n = counting;
	const struct group *x = a;
	const struct group *y = b;

	int order = 0;

	for (size_t i = 0; i < n->plan->key_count && order == 0; i++) {
		order = compare_keys(n, i, x->keys[i], y->keys[i]);
	}
	return order;
}

static int put_group(struct counting *n, sqlite3_stmt *insert, const struct group *group)
{
	for (size_t i = 0; i < n->plan->key_count; i++) {
		bind_key(n, insert, i, group->keys[i]);
	}
	for (size_t i = 0; i < n->plan->sum_count; i++) {
		bind_sum(n, insert, i, group);
	}
	int result = sqlite3_step(insert) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;

	sqlite3_reset(insert);
	return sql_is_interrupted(&n->source) ? SQLITE_INTERRUPT : result;
}

int groups_fill(struct counting *n, sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	int result = make_table(n->plan, db, &insert);

	if (n->groups.count > 0) {
		qsort_r(n->groups.items, n->groups.count, sizeof(*n->groups.items), compare_groups,
			n);
	}
	/* Within the user's transaction, if there is one. */
	result = result == SQLITE_OK ? run(db, "SAVEPOINT waymark_totals") : result;
	for (size_t g = 0; g < n->groups.count && result == SQLITE_OK; g++) {
		result = put_group(n, insert, &n->groups.items[g]);
	}
	sqlite3_finalize(insert);
	run(db, "RELEASE waymark_totals");
	return result;
}
