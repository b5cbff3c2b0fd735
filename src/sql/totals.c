/* SPDX-License-Identifier: MIT */
/*
 * Computes the groups of a statement: a hash table by the values of the keys, and for each group
 * the sums. Events mostly come in runs of one group, so the last one is tried first. Several
 * threads count sections of a long trace, each into groups of its own; in the end these are added
 * up.
 */
#include "sql/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/sections.h"

/* With more groups SQLite does it, which needs no memory for each. */
#define GROUPS_MAX (1u << 20)

/* Integers from here on are not all exact as doubles. */
#define EXACT_MAX (INT64_C(1) << 53)

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
	n->is_misfit |= !arg || !arg->names || (n->named[key].arg && n->named[key].arg != arg);
	n->named[key] = (struct naming){ arg, n->c->rec->class->index };
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
		n->is_misfit |= n->groups.count > GROUPS_MAX;
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
		n->is_misfit |=
			plan->sums[i].function == TOTAL_AVG && (v >= EXACT_MAX || v <= -EXACT_MAX);
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

/* SQLite adds doubles up for an average: the same as long as all sums are exact in them. */
static bool has_exact_averages(const struct counting *n)
{
	for (size_t i = 0; i < n->totals.count; i++) {
		const struct total *t = &n->totals.items[i];
		const struct group *g = &n->groups.items[i / n->plan->sum_count];
		enum total_function function = n->plan->sums[i % n->plan->sum_count].function;
		double most = (double)g->count * fmax(fabs((double)t->min), fabs((double)t->max));

		if (function == TOTAL_AVG && g->count > 0 && most >= (double)EXACT_MAX) {
			return false;
		}
	}
	return true;
}

/* ---- Threads ---- */

/* A thread meets a problem: the trace is read once more, as a whole, which reports it. */
static void note_problem(void *counting, const struct read_error *error)
{
	struct counting *n = counting;

	(void)error;
	n->has_problem = true;
}

static void begin(struct counting *n, struct totals *t, bool is_divided)
{
	struct events_cursor *c = events_cursor_new(t->table);

	*n = (struct counting){ .plan = t, .c = c, .source = *t->table->source, .last = NONE };
	if (is_divided) {
		n->source.report = note_problem;
		n->source.data = n;
	}
	events_reset(c);
	c->scan.source = &n->source;
	vec_foreach (const struct condition *, k, &t->conditions) {
		plan_narrow(c, k);
	}
}

static void end(struct counting *n)
{
	vec_fini(&n->groups);
	vec_fini(&n->totals);
	free(n->slots);
	events_cursor_free(n->c);
}

/* Opens the scan, if it is not open. SQLite reports why it cannot be. */
static bool open_scan(struct counting *n)
{
	if (!n->c->scan.reader && !events_open(n->c)) {
		return false;
	}
	if (n->plan->key_count == 0) {
		n->last = find_group(n, NULL); /* there is always one */
	}
	return true;
}

/*
 * Counts what the scan has. Returns a result of SQLite, as totals_compute(), or SQLITE_CORRUPT: the
 * trace must not be divided.
 */
static int count_all(struct counting *n)
{
	struct events_cursor *c = n->c;
	size_t count;

	while (!n->is_misfit && !n->has_problem && (count = sql_scan_few(&c->scan, c->records))) {
		add_records(n, c->records, count);
	}
	if (c->scan.is_interrupted) {
		return SQLITE_INTERRUPT;
	}
	if (n->has_problem) {
		return SQLITE_CORRUPT;
	}
	return n->is_misfit ? SQLITE_MISMATCH : SQLITE_OK;
}

/* Adds the total of a thread to that of all. */
static void add_total(struct counting *all, size_t sum, struct total *to, const struct total *t)
{
	enum total_function function = all->plan->sums[sum].function;

	all->is_misfit |= __builtin_add_overflow(to->sum, t->sum, &to->sum) &&
			  (function == TOTAL_SUM || function == TOTAL_AVG);
	to->min = t->min < to->min ? t->min : to->min;
	to->max = t->max > to->max ? t->max : to->max;
}

/* Adds the namings of a thread, whose reader has the same classes in the same order. */
static void add_namings(struct counting *all, const struct counting *n)
{
	for (size_t i = 0; i < all->plan->key_count; i++) {
		struct naming named = n->named[i];

		if (named.arg) {
			const struct event_class *class =
				all->c->scan.reader->classes.all.items[named.class];

			named.arg = events_fit(all->c, class)
					    ->places[all->plan->keys[i].column - 1]
					    .arg;
			all->is_misfit |= all->named[i].arg && all->named[i].arg != named.arg;
			all->named[i] = named;
		}
	}
}

static void add_thread(struct counting *all, const struct counting *n)
{
	add_namings(all, n);
	vec_foreach (const struct group *, g, &n->groups) {
		uint32_t index = find_group(all, g->keys); /* it may move the groups */
		struct group *to = &all->groups.items[index];

		to->count += g->count;
		for (size_t i = 0; i < all->plan->sum_count; i++) {
			add_total(all, i, &all->totals.items[to->totals + i],
				&n->totals.items[g->totals + i]);
		}
	}
}

/* The threads that share the sections. */
struct sharing {
	struct counting threads[SECTIONS_THREADS_MAX];
	int results[SECTIONS_THREADS_MAX];
};

static bool count_section(void *sharing, unsigned int thread, int64_t from_ns, int64_t until_ns)
{
	struct sharing *s = sharing;
	struct counting *n = &s->threads[thread];

	s->results[thread] = SQLITE_MISMATCH;
	if (open_scan(n)) {
		reader_section(n->c->scan.reader, from_ns, until_ns);
		s->results[thread] = count_all(n);
	}
	return s->results[thread] == SQLITE_OK;
}

/* Counts in several threads, and adds all to the first. Returns a result as count_all(). */
static int count_shared(struct sharing *s, struct totals *t, const struct sections *sections)
{
	const struct sections_job job = { .read = count_section, .data = s };
	struct counting *all = &s->threads[0];

	for (unsigned int i = 0; i < sections->threads; i++) {
		begin(&s->threads[i], t, true);
		s->results[i] = SQLITE_OK;
	}
	sections_run(sections, &job);
	for (unsigned int i = 0; i < sections->threads; i++) {
		if (s->results[i] != SQLITE_OK) {
			return s->results[i];
		}
	}
	if (!open_scan(all)) {
		return SQLITE_MISMATCH;
	}
	for (unsigned int i = 1; i < sections->threads; i++) {
		add_thread(all, &s->threads[i]);
	}
	return all->is_misfit ? SQLITE_MISMATCH : SQLITE_OK;
}

/* Fills the table with the groups of a count that ended with `result`. */
static int finish(struct counting *n, sqlite3 *db, int result)
{
	if (result != SQLITE_OK) {
		return result;
	}
	return has_exact_averages(n) ? groups_fill(n, db) : SQLITE_MISMATCH;
}

static int compute_shared(struct totals *t, sqlite3 *db, const struct sections *sections)
{
	struct sharing *s = xcalloc(1, sizeof(*s));
	int result = finish(&s->threads[0], db, count_shared(s, t, sections));

	for (unsigned int i = 0; i < sections->threads; i++) {
		end(&s->threads[i]);
	}
	free(s);
	return result;
}

static int compute_alone(struct totals *t, sqlite3 *db)
{
	struct counting n;

	begin(&n, t, false);
	int result = finish(&n, db, open_scan(&n) ? count_all(&n) : SQLITE_MISMATCH);

	end(&n);
	return result;
}

int totals_compute(struct totals *t, sqlite3 *db)
{
	const struct sql_source *source = t->table->source;
	struct sections sections;
	int result = SQLITE_CORRUPT;

	sections_plan(&sections, source->reader);
	if (sections.threads > 1 && !(source->selection && filter_is_relative(source->selection))) {
		result = compute_shared(t, db, &sections);
	}
	sections_fini(&sections);
	return result == SQLITE_CORRUPT ? compute_alone(t, db) : result;
}
