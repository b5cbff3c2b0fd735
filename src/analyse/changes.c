/* SPDX-License-Identifier: MIT */
/*
 * Rows are found by kind and names. With one run for each side, the values of both are compared by
 * their ranks, and counts as Poisson rates; with more, one number of each run by Student's t-test,
 * as values within a run do not show how much runs differ.
 */
#include "analyse/changes.h"

#include <math.h>
#include <string.h>

/* The variance of a median's logarithm that cells add, as they are up to a 64th wide. */
#define LEAST_VARIANCE (1.0 / 64 / 64 / 12)

/* The normal score of a 95 % interval. */
#define SCORE_95 1.96

/* Instead of a median of 0 ns, which has no logarithm. */
#define LEAST_NS 0.5

/* ---- Rows ---- */

void changes_init(struct changes *c, bool has_several)
{
	*c = (struct changes){ .has_several = has_several };
	arena_init(&c->arena);
	hash_init(&c->by_key);
}

static void numbers_fini(struct change_numbers *n)
{
	distribution_fini(&n->durations);
	if (n->batches) {
		batches_fini(n->batches);
	}
	free(n->batches);
	vec_fini(&n->runs);
}

void changes_fini(struct changes *c)
{
	vec_foreach (struct change *, row, &c->all) {
		numbers_fini(&row->sides[CHANGE_BEFORE]);
		numbers_fini(&row->sides[CHANGE_AFTER]);
	}
	vec_fini(&c->all);
	vec_fini(&c->seconds[CHANGE_BEFORE]);
	vec_fini(&c->seconds[CHANGE_AFTER]);
	hash_fini(&c->by_key);
	arena_fini(&c->arena);
}

/* Returns the row of that kind and names; makes it if needed. Copies the names. */
static struct change *find_row(
	struct changes *c, enum change_kind kind, const char *name, const char *to)
{
	/* The length of the name makes two names one. */
	char *key = arena_printf(&c->arena, "%d %zu %s%s%s", (int)kind, strlen(name), name,
		to ? " " : "", to ? to : "");
	uintptr_t number = (uintptr_t)hash_get(&c->by_key, key);

	if (!number) {
		const struct change row = {
			.kind = kind,
			.name = arena_strdup(&c->arena, name),
			.to = to ? arena_strdup(&c->arena, to) : NULL,
		};

		vec_push(&c->all, row);
		number = c->all.count;
		hash_add(&c->by_key, key, (void *)number);
	}
	return &c->all.items[number - 1];
}

static void add_run(struct changes *c, struct change_numbers *n, enum change_side side, double log,
	double variance)
{
	vec_push(&n->runs, ((struct change_run){ c->seconds[side].count - 1, log, variance }));
}

static uint64_t count_of(const struct slices_class *class)
{
	uint64_t count = 0;

	for (size_t i = 0; i < SLICES_MAX; i++) {
		count += class->counts[i];
	}
	return count;
}

/* Adds an event; several classes of a run may have its name, and their counts are one then. */
static void add_event(struct changes *c, enum change_side side, const struct slices *s,
	const struct slices_class *class)
{
	struct change_numbers *n =
		&find_row(c, CHANGE_EVENT, class->class->name, NULL)->sides[side];
	size_t slices = slices_count(s);
	uint64_t width = UINT64_C(1) << s->shift;
	uint64_t rest = s->last_ns - s->first_ns - (slices - 1) * width;
	double seconds = c->seconds[side].items[c->seconds[side].count - 1];
	uint64_t count = count_of(class);

	struct inflation dispersion =
		significance_dispersion(class->counts, slices, (double)rest / (double)width);

	if (n->count == 0) {
		n->rate = (struct event_rate){ count, seconds, dispersion };
	}
	n->count += count;
	add_run(c, n, side, log((double)count / seconds), dispersion.factor / (double)count);
}

/* Makes one class of all of a name: the first one gets the counts of the others. */
static void join_names(struct slices_class *classes, size_t count)
{
	struct hash first;

	hash_init(&first);
	for (size_t i = 0; i < count; i++) {
		struct slices_class *own = &classes[i];
		struct slices_class *one =
			own->class ? hash_add(&first, own->class->name, own) : own;

		for (size_t n = 0; one != own && n < SLICES_MAX; n++) {
			one->counts[n] += own->counts[n];
		}
		own->class = one == own ? own->class : NULL;
	}
	hash_fini(&first);
}

void changes_add_events(struct changes *c, enum change_side side, const struct slices *slices)
{
	size_t count = slices->classes.count;
	struct slices_class *classes = xcalloc(count + 1, sizeof(*classes));
	uint64_t ns = slices->last_ns - slices->first_ns;

	vec_push(&c->seconds[side], (double)(ns > 0 ? ns : 1) / 1e9);
	if (count > 0) {
		memcpy(classes, slices->classes.items, count * sizeof(*classes));
	}
	join_names(classes, count);
	for (size_t i = 0; i < count; i++) {
		if (classes[i].class) {
			add_event(c, side, slices, &classes[i]);
		}
	}
	free(classes);
}

static double median_of(const struct distribution *d)
{
	return (double)distribution_percentile(d, (struct distribution_share){ 1, 2 });
}

static double log_of(double ns)
{
	return log(ns > LEAST_NS ? ns : LEAST_NS);
}

/* Distances of the limits of the 95 % interval from the median, as logarithms; NAN: too few. */
struct reach {
	double down;
	double up;
};

/* The limits are ranks that enclose the median, by the binomial distribution of their number. */
static struct reach reach_of(const struct distribution *d, double inflation)
{
	double half = SCORE_95 * sqrt((double)d->count * inflation) / 2;
	double low = floor((double)d->count / 2 - half);
	double high = ceil((double)d->count / 2 + half) + 1;
	double unit = 1e9 / (double)d->count;
	double median = log_of(median_of(d));

	if (low < 1 || high > (double)d->count) {
		return (struct reach){ NAN, NAN };
	}
	const struct distribution_share first = { (uint64_t)(low * unit), 1000000000 };
	const struct distribution_share last = { (uint64_t)(high * unit), 1000000000 };

	return (struct reach){
		median - log_of((double)distribution_percentile(d, first)),
		log_of((double)distribution_percentile(d, last)) - median,
	};
}

/* The variance of the logarithm of the median; NAN: too few values. */
static double variance_of_median(const struct distribution *d, const struct batches *batches)
{
	struct reach reach = reach_of(d, significance_inflation(batches).factor);
	double error = (reach.down + reach.up) / 2 / SCORE_95;

	return error * error + LEAST_VARIANCE;
}

void changes_add_durations(
	struct changes *c, enum change_side side, const struct change *row, struct batches *batches)
{
	struct change_numbers *n = &find_row(c, row->kind, row->name, row->to)->sides[side];
	struct distribution all = { 0 };

	batches_sum(batches, &all);
	if (all.count > 0) {
		n->count += all.count;
		distribution_merge(&n->durations, &all);
		add_run(c, n, side, log_of(median_of(&all)), variance_of_median(&all, batches));
		if (!c->has_several) {
			n->batches = xcalloc(1, sizeof(*n->batches));
			*n->batches = *batches;
			*batches = (struct batches){ 0 };
		}
	}
	distribution_fini(&all);
}

/* ---- Judging one row ---- */

/* The logarithms of the runs of a side, and the sum of their variances. */
struct logs {
	VEC(double) items;
	double variance;
};

static void add_log(struct logs *logs, double log, double variance)
{
	/* A run with too few values does not tell how far its median is from the true one. */
	if (!isnan(variance)) {
		vec_push(&logs->items, log);
		logs->variance += variance;
	}
}

/* An event that a run lacks has half an occurrence there. */
static struct logs logs_of(const struct changes *c, const struct change *row, enum change_side side)
{
	const struct change_numbers *n = &row->sides[side];
	struct logs logs = { 0 };
	size_t next = 0;

	for (size_t i = 0; i < c->seconds[side].count; i++) {
		if (next < n->runs.count && n->runs.items[next].run == i) {
			add_log(&logs, n->runs.items[next].log, n->runs.items[next].variance);
			next++;
		} else if (row->kind == CHANGE_EVENT) {
			add_log(&logs, log(0.5 / c->seconds[side].items[i]),
				n->rate.dispersion.factor / 0.5);
		}
	}
	return logs;
}

static struct run_values values_of(const struct logs *l)
{
	double n = (double)l->items.count;

	return (struct run_values){ l->items.items, l->items.count, l->variance / n / n };
}

static void compare_runs(const struct changes *c, struct change *row)
{
	struct logs before = logs_of(c, row, CHANGE_BEFORE);
	struct logs after = logs_of(c, row, CHANGE_AFTER);
	const struct run_values a = values_of(&before);
	const struct run_values b = values_of(&after);

	if (a.count > 0 && b.count > 0) {
		struct runs_test t = significance_runs(&a, &b);

		row->p = t.p;
		row->ratio = exp(t.change);
		if (!isnan(t.p)) {
			double reach = t.error * significance_student_limit(0.05, t.freedom);

			row->low = exp(t.change - reach);
			row->high = exp(t.change + reach);
		}
	}
	vec_fini(&before.items);
	vec_fini(&after.items);
}

static void compare_rates(struct change *row)
{
	struct event_rate *a = &row->sides[CHANGE_BEFORE].rate;
	struct event_rate *b = &row->sides[CHANGE_AFTER].rate;
	double freedom;

	double variance = significance_rates_variance(a, b, &freedom);
	double reach = sqrt(variance) * significance_student_limit(0.05, freedom);

	row->p = significance_rates(a, b);
	row->ratio = (double)b->count / b->seconds / ((double)a->count / a->seconds);
	if (a->count > 0 && b->count > 0) {
		row->low = row->ratio * exp(-reach);
		row->high = row->ratio * exp(reach);
	}
}

static void compare_durations(struct change *row)
{
	const struct change_numbers *a = &row->sides[CHANGE_BEFORE];
	const struct change_numbers *b = &row->sides[CHANGE_AFTER];
	struct rank_test t = significance_ranks(a->batches, b->batches);
	struct reach before = reach_of(&a->durations, significance_inflation(a->batches).factor);
	struct reach after = reach_of(&b->durations, significance_inflation(b->batches).factor);

	row->p = t.p;
	row->ratio = exp(log_of(median_of(&b->durations)) - log_of(median_of(&a->durations)));
	row->low = row->ratio * exp(-hypot(after.down, before.up));
	row->high = row->ratio * exp(hypot(after.up, before.down));
}

/* Without events on one side, the other side's bursts are the best guess. */
static void guess_dispersion(struct change *row)
{
	for (int side = 0; side < CHANGE_SIDES; side++) {
		struct event_rate *own = &row->sides[side].rate;
		const struct event_rate *other = &row->sides[!side].rate;

		if (row->sides[side].count == 0) {
			own->dispersion = other->dispersion;
		}
	}
}

static void judge(const struct changes *c, struct change *row)
{
	struct change_numbers *a = &row->sides[CHANGE_BEFORE];
	struct change_numbers *b = &row->sides[CHANGE_AFTER];
	bool has_both = a->count > 0 && b->count > 0;

	row->p = row->low = row->high = row->larger = NAN;
	row->ratio = a->count > 0 ? 0 : INFINITY;
	if (row->kind == CHANGE_EVENT) {
		guess_dispersion(row);
		a->rate.seconds = c->seconds[CHANGE_BEFORE].items[0];
		b->rate.seconds = c->seconds[CHANGE_AFTER].items[0];
	} else if (has_both) {
		row->larger = significance_larger(&a->durations, &b->durations);
	} else {
		return;
	}
	if (c->has_several) {
		compare_runs(c, row);
	} else if (row->kind == CHANGE_EVENT) {
		compare_rates(row);
	} else {
		compare_durations(row);
	}
	if (!has_both) {
		row->ratio = a->count > 0 ? 0 : INFINITY;
		row->low = row->high = NAN;
	}
}

void changes_judge(struct changes *c, double level)
{
	double *p = xcalloc(c->all.count + 1, sizeof(*p));

	for (size_t i = 0; i < c->all.count; i++) {
		judge(c, &c->all.items[i]);
		p[i] = c->all.items[i].p;
	}
	significance_holm(p, c->all.count);
	for (size_t i = 0; i < c->all.count; i++) {
		c->all.items[i].adjusted = p[i];
		c->all.items[i].is_significant = p[i] < level;
	}
	free(p);
}

/* ---- All rows ---- */

size_t changes_count(const struct changes *c)
{
	size_t count = 0;

	vec_foreach (const struct change *, row, &c->all) {
		count += row->is_significant;
	}
	return count;
}

double change_rate(const struct changes *c, const struct change *row, enum change_side side)
{
	double seconds = 0;

	vec_foreach (const double *, it, &c->seconds[side]) {
		seconds += *it;
	}
	return seconds > 0 ? (double)row->sides[side].count / seconds : 0;
}

double change_total(const struct changes *c, const struct change *row, enum change_side side)
{
	double runs = (double)c->seconds[side].count;
	const struct change_numbers *n = &row->sides[side];

	return (double)(row->kind == CHANGE_EVENT ? n->count : n->durations.sum) / runs;
}

static double rank_of(const struct changes *c, const struct change *row, enum changes_order order)
{
	switch (order) {
	case CHANGES_BY_CHANGE:
		return fabs(log(row->ratio));
	case CHANGES_BY_TOTAL:
		return fabs(
			change_total(c, row, CHANGE_AFTER) - change_total(c, row, CHANGE_BEFORE));
	case CHANGES_BY_P:
		return isnan(row->p) ? -2 : -row->p;
	case CHANGES_BY_NAME:
		break;
	}
	return 0;
}

struct order {
	const struct changes *changes;
	enum changes_order by;
};

static int compare_rows(const void *a, const void *b, void *data)
{
	const struct order *order = data;
	const struct change *x = a;
	const struct change *y = b;
	double first = rank_of(order->changes, x, order->by);
	double second = rank_of(order->changes, y, order->by);

	if ((x->kind == CHANGE_EVENT) != (y->kind == CHANGE_EVENT)) {
		return x->kind == CHANGE_EVENT ? 1 : -1;
	}
	if (x->is_significant != y->is_significant) {
		return x->is_significant ? -1 : 1;
	}
	if (first != second) {
		return first < second ? 1 : -1;
	}
	int names = strcmp(x->name, y->name);

	names = names ? names : strcmp(x->to ? x->to : "", y->to ? y->to : "");
	return names ? names : (int)x->kind - (int)y->kind;
}

void changes_sort(struct changes *c, enum changes_order order)
{
	struct order by = { c, order };

	if (c->all.count > 0) {
		qsort_r(c->all.items, c->all.count, sizeof(*c->all.items), compare_rows, &by);
	}
}
