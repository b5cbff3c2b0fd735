/* SPDX-License-Identifier: MIT */
/*
 * The conditions of a query that let the reader leave something out. plan_best() chooses conditions
 * and writes them into a text, two characters and the number of a column each, in the order of
 * their values; plan_filter() applies them. SQLite tests every condition again, so a condition may
 * be left to it.
 *
 * A value of a field that changes while the query runs (a join, or IN) is looked up: the first time
 * by a scan, from the second time on in the rows that join.c keeps.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sql/events.h"

/* Rows of an unknown trace, and of it those with one value of a field. */
#define ROWS 1e6
#define ROWS_ALIKE 8

/* Characters of the plan, by SQLite's number of a comparison. */
static const struct {
	unsigned char op;
	char sign;
	enum comparison comparison;
} signs[] = {
	{ SQLITE_INDEX_CONSTRAINT_EQ, '=', IS_EQUAL },
	{ SQLITE_INDEX_CONSTRAINT_GT, '>', IS_ABOVE },
	{ SQLITE_INDEX_CONSTRAINT_GE, 'g', IS_AT_LEAST },
	{ SQLITE_INDEX_CONSTRAINT_LT, '<', IS_BELOW },
	{ SQLITE_INDEX_CONSTRAINT_LE, 'l', IS_AT_MOST },
};

#define SIGN_LOOKED_UP '?'
#define SIGN_EXACT 'x'
#define SIGN_GLOB '*'
#define SIGN_LIKE '%'

/* Returns the character of a comparison; 0 if it is none of these. */
static char comparison_sign(unsigned char op)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		if (signs[i].op == op) {
			return signs[i].sign;
		}
	}
	return '\0';
}

/* ---- The choice ---- */

static bool is_integer(const struct sql_column *c)
{
	return c->kind != COLUMN_NAMES && strcmp(c->type, "INTEGER") == 0;
}

/* True if the value is known before the query runs. */
static bool is_constant(sqlite3_index_info *info, int i)
{
	sqlite3_value *value;

	return !sqlite3_vtab_in(info, i, -1) &&
	       sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK;
}

static char name_sign(const struct sql_column *c, sqlite3_index_info *info, int i)
{
	unsigned char op = info->aConstraint[i].op;

	if (c->kind != COLUMN_EVENT || sqlite3_vtab_in(info, i, -1)) {
		return '\0';
	}
	if (op == SQLITE_INDEX_CONSTRAINT_EQ) {
		return strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0 ? SIGN_EXACT : '\0';
	}
	return op == SQLITE_INDEX_CONSTRAINT_GLOB   ? SIGN_GLOB
	       : op == SQLITE_INDEX_CONSTRAINT_LIKE ? SIGN_LIKE
						    : '\0';
}

/* Returns how a condition is applied; 0: by SQLite alone. */
static char sign_of(const struct sql_column *c, sqlite3_index_info *info, int i, bool may_look_up)
{
	bool is_equal = info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ;

	if (c->kind == COLUMN_EVENT) {
		return name_sign(c, info, i);
	}
	bool has_keys =
		c->kind == COLUMN_TIME ||
		(c->kind == COLUMN_FIELD && (is_integer(c) || strcmp(c->type, "TEXT") == 0));

	if (is_equal && has_keys && may_look_up && !is_constant(info, i) &&
		strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0) {
		return SIGN_LOOKED_UP;
	}
	bool is_known = is_integer(c) && !sqlite3_vtab_in(info, i, -1);

	return is_known ? comparison_sign(info->aConstraint[i].op) : '\0';
}

/* Returns how the usable condition `i` is applied; 0: by SQLite alone. */
static char usable_sign(
	const struct sql_events *t, sqlite3_index_info *info, int i, bool may_look_up)
{
	int column = info->aConstraint[i].iColumn;

	return info->aConstraint[i].usable && column >= 0
		       ? sign_of(&t->columns.items[column], info, i, may_look_up)
		       : '\0';
}

/* Returns the condition whose value is looked up, or -1. */
static int find_lookup(const struct sql_events *t, sqlite3_index_info *info)
{
	for (int i = 0; i < info->nConstraint; i++) {
		if (usable_sign(t, info, i, true) == SIGN_LOOKED_UP) {
			return i;
		}
	}
	return -1;
}

int plan_best(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct sql_events *t = ((struct events_table *)base)->events;
	sqlite3_str *plan = sqlite3_str_new(NULL);
	int lookup = find_lookup(t, info);
	int values = 0;

	info->estimatedRows = (sqlite3_int64)ROWS;
	sqlite3_str_appendf(plan, "%llx;", info->colUsed);
	for (int i = 0; i < info->nConstraint; i++) {
		char sign = usable_sign(t, info, i, i == lookup);

		/* Kept rows serve all values, so another condition on them must not change. */
		if (sign && (lookup < 0 || i == lookup || is_constant(info, i))) {
			sqlite3_str_appendf(plan, "%c%d,", sign, info->aConstraint[i].iColumn);
			info->aConstraintUsage[i].argvIndex = ++values;
			info->estimatedRows = info->estimatedRows / 10 + 1;
		}
	}
	info->estimatedCost = lookup >= 0 ? ROWS_ALIKE : ROWS;
	info->estimatedRows = lookup >= 0 ? ROWS_ALIKE : info->estimatedRows;
	info->orderByConsumed = reader_is_ordered(t->source->reader) && info->nOrderBy == 1 &&
				info->aOrderBy[0].iColumn >= 0 && !info->aOrderBy[0].desc &&
				t->columns.items[info->aOrderBy[0].iColumn].kind == COLUMN_TIME;
	info->idxStr = sqlite3_str_finish(plan);
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- Its application ---- */

/* Narrows the scan to the times that a condition allows. */
static void narrow_time(struct filter *f, const struct condition *k)
{
	int64_t ns = k->number;

	if (k->comparison != IS_BELOW && k->comparison != IS_AT_MOST && !f->from.relative &&
		(!f->from.set || f->from.ns < ns)) {
		f->from = (struct filter_time){ .ns = ns, .set = true };
	}
	if (k->comparison != IS_ABOVE && k->comparison != IS_AT_LEAST && !f->to.relative &&
		(!f->to.set || f->to.ns > ns)) {
		f->to = (struct filter_time){ .ns = ns, .set = true };
	}
}

void plan_narrow(struct events_cursor *c, const struct condition *k)
{
	enum column_kind kind = c->table->columns.items[k->column].kind;
	struct filter *f = &c->scan.filter;

	if (kind == COLUMN_TIME) {
		narrow_time(f, k);
	}
	if (kind == COLUMN_TID && k->comparison == IS_EQUAL && f->tids.count == 0 &&
		k->number >= 0 && k->number <= UINT32_MAX) {
		vec_push(&f->tids, (uint32_t)k->number);
	}
}

/* Sets the integer that a condition compares with, also for a fraction; false if there is none. */
static bool set_number(struct condition *k, sqlite3_value *value)
{
	double real = sqlite3_value_double(value);
	bool rounds_up = k->comparison == IS_BELOW || k->comparison == IS_AT_LEAST;

	k->number = sqlite3_value_int64(value);
	if (sqlite3_value_type(value) == SQLITE_INTEGER) {
		return true;
	}
	/* Doubles beyond 2^53 are no exact bounds. */
	if (sqlite3_value_type(value) != SQLITE_FLOAT || k->comparison == IS_EQUAL ||
		!(fabs(real) < 0x1p53)) {
		return false;
	}
	k->number = (int64_t)(rounds_up ? ceil(real) : floor(real));
	return true;
}

static void compare(struct events_cursor *c, char sign, size_t column, sqlite3_value *value)
{
	struct condition k = { .column = (uint16_t)column };

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		k.comparison = signs[i].sign == sign ? signs[i].comparison : k.comparison;
	}
	if (!set_number(&k, value)) {
		return;
	}
	vec_push(&c->conditions, k);
	plan_narrow(c, &k);
}

static void match(struct events_cursor *c, char sign, sqlite3_value *value)
{
	if (c->pattern || sqlite3_value_type(value) != SQLITE_TEXT) {
		return;
	}
	c->pattern = sqlite3_mprintf("%s", sqlite3_value_text(value));
	c->pattern_kind = sign == SIGN_GLOB   ? PATTERN_GLOB
			  : sign == SIGN_LIKE ? PATTERN_LIKE
					      : PATTERN_EXACT;
}

/* Reads the next condition of a plan. */
static char read_step(const char **plan, size_t *column)
{
	char sign = **plan;
	char *end;

	*column = strtoul(*plan + 1, &end, 10);
	*plan = end + 1;
	return sign;
}

/* Returns the value that is looked up, and its column; NULL: none is. */
static sqlite3_value *find_value(const char *plan, int argc, sqlite3_value **argv, size_t *column)
{
	plan = strchr(plan, ';') + 1;
	for (int i = 0; i < argc; i++) {
		if (read_step(&plan, column) == SIGN_LOOKED_UP) {
			return argv[i];
		}
	}
	return NULL;
}

/* Returns a text of the plan and its constants, which sqlite3_free() frees. */
static char *lookup_text(const char *plan, int argc, sqlite3_value **argv)
{
	const char *step = strchr(plan, ';') + 1;
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendall(text, plan);
	for (int i = 0; i < argc; i++) {
		size_t column;

		if (read_step(&step, &column) == SIGN_LOOKED_UP) {
			continue;
		}
		switch (sqlite3_value_type(argv[i])) {
		case SQLITE_INTEGER:
			sqlite3_str_appendf(text, "|%lld", sqlite3_value_int64(argv[i]));
			break;
		case SQLITE_TEXT:
			sqlite3_str_appendf(text, "|%Q", sqlite3_value_text(argv[i]));
			break;
		default: /* not applied, see compare() and match() */
			sqlite3_str_appendall(text, "|?");
		}
	}
	return sqlite3_str_finish(text);
}

/* Applies all conditions but the one that is looked up. */
static void apply(struct events_cursor *c, const char *plan, int argc, sqlite3_value **argv)
{
	c->used = strtoull(plan, NULL, 16);
	plan = strchr(plan, ';') + 1;
	for (int i = 0; i < argc; i++) {
		size_t column;
		char sign = read_step(&plan, &column);

		if (sign == SIGN_EXACT || sign == SIGN_GLOB || sign == SIGN_LIKE) {
			match(c, sign, argv[i]);
		} else if (sign != SIGN_LOOKED_UP) {
			compare(c, sign, column, argv[i]);
		}
	}
}

int plan_filter(
	sqlite3_vtab_cursor *base, int number, const char *plan, int argc, sqlite3_value **argv)
{
	struct events_cursor *c = (struct events_cursor *)base;
	int result = SQLITE_OK;
	size_t key;
	sqlite3_value *looked_up = find_value(plan, argc, argv, &key);

	if (looked_up && !c->lookup) {
		c->lookup = lookup_text(plan, argc, argv);
		join_resume(c);
	}
	bool is_known = looked_up && c->lookups++ > 0 && !c->is_too_large &&
			join_can_find(c, key, looked_up);

	(void)number;
	c->is_joined = is_known;
	if (is_known && c->join) {
		join_find(c->join, looked_up);
		return SQLITE_OK;
	}
	events_reset(c);
	apply(c, plan, argc, argv);
	if (is_known) {
		c->join = join_make(c, key, &result);
		if (c->join) {
			join_find(c->join, looked_up);
		}
		if (!c->is_too_large) {
			return result;
		}
		c->is_joined = false;
		events_reset(c);
		apply(c, plan, argc, argv);
	}
	if (looked_up && sqlite3_value_type(looked_up) == SQLITE_INTEGER) {
		compare(c, '=', key, looked_up);
	}
	return events_begin(c);
}
