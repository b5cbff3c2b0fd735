/* SPDX-License-Identifier: MIT */
/*
 * Computes the groups of a statement: a hash table by the values of the keys, and for each group
 * the sums. Events mostly come in runs of one group, so the last one is tried first.
 */
#include "sql/totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

struct counting {
	struct totals *plan;
	struct events_cursor *c;
	VEC(struct group) groups;
	VEC(struct total) totals;
	uint32_t *slots; /* indices of groups; NONE: free. At most half are used */
	size_t slot_count;
	uint32_t last; /* the group of the last event; NONE: none yet */
	const struct arg *named[TOTALS_KEYS_MAX]; /* whose values have names; NULL: not met yet */
	bool is_misfit; /* SQLite must run the statement */
};

/* ---- Values ---- */

/* Reads an integer column of the current record; sets is_misfit if it is none. */
static inline int64_t value_of(struct counting *n, size_t column)
{
	const struct place *p = &n->c->fit->places[column];

	if (LIKELY(p->is_direct && n->plan->table->columns.items[column].kind == COLUMN_FIELD)) {
		return (int64_t)place_load(p, n->c->rec);
	}
	struct cell cell = events_cell(n->c, column);

	n->is_misfit |= cell.type != CELL_INTEGER;
	return cell.integer;
}

/*
 * Returns the number behind a name: of the first class of that name, or of the value, whose column
 * precedes that of its names.
 */
static int64_t named_value(struct counting *n, size_t key)
{
	size_t column = n->plan->keys[key].column;

	if (n->plan->table->columns.items[column].kind == COLUMN_EVENT) {
		return (int64_t)n->c->fit->name;
	}
	const struct arg *arg = n->c->fit->places[column - 1].arg;

	/* Traces may give a value several names. */
	n->is_misfit |= !arg || !arg->names || (n->named[key] && n->named[key] != arg);
	n->named[key] = arg;
	return value_of(n, column - 1);
}

static inline int64_t key_of(struct counting *n, size_t key)
{
	const struct total_key *k = &n->plan->keys[key];
	enum column_kind kind = n->plan->table->columns.items[k->column].kind;
	int64_t v = UNLIKELY(kind == COLUMN_EVENT || kind == COLUMN_NAMES) ? named_value(n, key)
									   : value_of(n, k->column);

	switch (k->op) {
	case '/':
		return v / k->number;
	case '%':
		return v % k->number;
	case '&':
		return v & k->number;
	case '>':
		return v >> k->number;
	default:
		return v;
	}
}

static inline bool meets(struct counting *n)
{
	vec_foreach (const struct condition *, k, &n->plan->conditions) {
		if (!condition_is_met(k, value_of(n, k->column))) {
			return false;
		}
	}
	return true;
}

/* ---- Groups ---- */

static size_t slot_of(const struct counting *n, const int64_t *keys)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < n->plan->key_count; i++) {
		hash = mix_bits(hash ^ (uint64_t)keys[i]);
	}
	size_t at = hash & (n->slot_count - 1);
	size_t size = n->plan->key_count * sizeof(*keys);

	while (n->slots[at] != NONE && size > 0 &&
		memcmp(n->groups.items[n->slots[at]].keys, keys, size) != 0) {
		at = (at + 1) & (n->slot_count - 1);
	}
	return at;
}

static void grow(struct counting *n)
{
	n->slot_count = n->slot_count ? 2 * n->slot_count : 256;
	n->slots = xrealloc(n->slots, n->slot_count * sizeof(*n->slots));
	for (size_t i = 0; i < n->slot_count; i++) {
		n->slots[i] = NONE;
	}
	for (uint32_t i = 0; i < n->groups.count; i++) {
		n->slots[slot_of(n, n->groups.items[i].keys)] = i;
	}
}

static NOINLINE uint32_t find_group(struct counting *n, const int64_t *keys)
{
	if (2 * n->groups.count >= n->slot_count) {
		grow(n);
	}
	size_t at = slot_of(n, keys);

	if (n->slots[at] == NONE) {
		struct group g = { .totals = n->totals.count };

		for (size_t i = 0; i < n->plan->key_count; i++) {
			g.keys[i] = keys[i];
		}
		for (size_t i = 0; i < n->plan->sum_count; i++) {
			vec_push(&n->totals, ((struct total){ 0, INT64_MAX, INT64_MIN }));
		}
		n->slots[at] = (uint32_t)n->groups.count;
		vec_push(&n->groups, g);
	}
	return n->slots[at];
}

/* ---- Records ---- */

static inline void add_sums(struct counting *n, struct group *g)
{
	const struct totals *plan = n->plan;

	g->count++;
	for (size_t i = 0; i < plan->sum_count; i++) {
		if (plan->sums[i].is_of_rows) {
			continue;
		}
		struct total *t = &n->totals.items[g->totals + i];
		int64_t v = value_of(n, plan->sums[i].column);

		n->is_misfit |= __builtin_add_overflow(t->sum, v, &t->sum) &&
				(plan->sums[i].function == TOTAL_SUM ||
					plan->sums[i].function == TOTAL_AVG);
		t->min = v < t->min ? v : t->min;
		t->max = v > t->max ? v : t->max;
	}
}

static inline void add(struct counting *n)
{
	int64_t keys[TOTALS_KEYS_MAX];
	size_t count = n->plan->key_count;
	uint32_t group = n->last;

	for (size_t i = 0; i < count; i++) {
		keys[i] = key_of(n, i);
	}
	if (UNLIKELY(group == NONE) ||
		memcmp(n->groups.items[group].keys, keys, count * sizeof(*keys)) != 0) {
		group = n->last = find_group(n, keys);
	}
	add_sums(n, &n->groups.items[group]);
}

/* True if only the number of events is asked for. */
static bool is_count(const struct totals *t)
{
	bool is_of_rows = t->key_count == 0 && t->conditions.count == 0;

	for (size_t i = 0; i < t->sum_count; i++) {
		is_of_rows &= t->sums[i].is_of_rows;
	}
	return is_of_rows;
}

static void add_records(struct counting *n, const struct record *records, size_t count)
{
	struct events_cursor *c = n->c;
	const struct event_class *class = NULL; /* of `fit` */
	bool only_counts = n->last != NONE && is_count(n->plan);

	for (const struct record *rec = records; rec < records + count; rec++) {
		if (UNLIKELY(rec->kind != RECORD_EVENT)) {
			continue;
		}
		if (rec->class != class) {
			class = rec->class;
			c->fit = events_fit(c, class);
		}
		if (UNLIKELY(!c->fit->is_wanted)) {
			continue;
		}
		if (only_counts) {
			n->groups.items[n->last].count++;
			continue;
		}
		c->rec = rec;
		c->values = NULL;
		if (meets(n)) {
			add(n);
		}
	}
}

/* ---- The table of groups ---- */

static int run(sqlite3 *db, const char *text)
{
	return sqlite3_exec(db, text, NULL, NULL, NULL);
}

static int make_table(const struct totals *t, sqlite3 *db, sqlite3_stmt **insert)
{
	sqlite3_str *make = sqlite3_str_new(db);
	sqlite3_str *fill = sqlite3_str_new(db);

	sqlite3_str_appendall(make, "CREATE TEMP TABLE " TOTALS_TABLE "(");
	sqlite3_str_appendall(fill, "INSERT INTO temp." TOTALS_TABLE " VALUES(");
	for (size_t i = 0; i < t->key_count; i++) {
		const char *type = t->table->columns.items[t->keys[i].column].type;

		sqlite3_str_appendf(make, "%sk%d %s", i ? "," : "", (int)i, type);
		sqlite3_str_appendall(fill, i ? ",?" : "?");
	}
	for (size_t i = 0; i < t->sum_count; i++) {
		sqlite3_str_appendf(make, "%ss%d", t->key_count + i ? "," : "", (int)i);
		sqlite3_str_appendall(fill, t->key_count + i ? ",?" : "?");
	}
	sqlite3_str_appendall(make, ")");
	sqlite3_str_appendall(fill, ")");
	char *make_text = sqlite3_str_finish(make);
	char *fill_text = sqlite3_str_finish(fill);
	int result = run(db, "DROP TABLE IF EXISTS temp." TOTALS_TABLE);

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
		struct cell name = events_names(n->c, n->named[i], (uint64_t)v);

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

static int fill_table(struct counting *n, sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	int result = make_table(n->plan, db, &insert);

	qsort_r(n->groups.items, n->groups.count, sizeof(*n->groups.items), compare_groups, n);
	run(db, "BEGIN");
	for (size_t g = 0; g < n->groups.count && result == SQLITE_OK; g++) {
		const struct group *group = &n->groups.items[g];

		for (size_t i = 0; i < n->plan->key_count; i++) {
			bind_key(n, insert, i, group->keys[i]);
		}
		for (size_t i = 0; i < n->plan->sum_count; i++) {
			bind_sum(n, insert, i, group);
		}
		result = sqlite3_step(insert) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
		sqlite3_reset(insert);
	}
	sqlite3_finalize(insert);
	run(db, "COMMIT");
	return result;
}

/* SQLite adds doubles up for an average: the same as long as all sums are exact in them. */
static bool has_exact_averages(const struct counting *n)
{
	for (size_t i = 0; i < n->totals.count; i++) {
		const struct total *t = &n->totals.items[i];
		const struct group *g = &n->groups.items[i / n->plan->sum_count];
		enum total_function function = n->plan->sums[i % n->plan->sum_count].function;
		double most = (double)g->count * fmax(fabs((double)t->min), fabs((double)t->max));

		if (function == TOTAL_AVG && g->count > 0 && most >= 0x1p53) {
			return false;
		}
	}
	return true;
}

static int count_all(struct counting *n)
{
	struct events_cursor *c = n->c;
	size_t count;

	if (!events_open(c)) {
		return SQLITE_MISMATCH; /* SQLite reports the error */
	}
	if (n->plan->key_count == 0) {
		n->last = find_group(n, NULL); /* there is always one */
	}
	while (!n->is_misfit && (count = sql_scan_few(&c->scan, c->records))) {
		add_records(n, c->records, count);
	}
	if (c->scan.is_interrupted) {
		return SQLITE_INTERRUPT;
	}
	return n->is_misfit || !has_exact_averages(n) ? SQLITE_MISMATCH : SQLITE_OK;
}

int totals_compute(struct totals *t, sqlite3 *db)
{
	struct events_cursor *c = events_cursor_new(t->table);
	struct counting n = { .plan = t, .c = c, .last = NONE };

	events_reset(c);
	vec_foreach (const struct condition *, k, &t->conditions) {
		plan_narrow(c, k);
	}
	int result = count_all(&n);

	if (result == SQLITE_OK) {
		result = fill_table(&n, db);
	}
	vec_fini(&n.groups);
	vec_fini(&n.totals);
	free(n.slots);
	events_cursor_free(c);
	return result;
}
