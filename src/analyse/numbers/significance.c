/* SPDX-License-Identifier: MIT */
/*
 * The distributions of Student and of binomial counts are both the incomplete beta function, as a
 * continued fraction by Lentz's method. Where a variance was estimated from few parts of a run, the
 * normal score of a test is looked up in Student's distribution instead, so that small p-values are
 * not too small.
 */
#include "analyse/numbers/significance.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

#define ROUNDS_MAX 100000
#define SCORE_MAX 40.0

/* ---- Distributions ---- */

static double not_zero(double value)
{
	return fabs(value) < DBL_MIN ? DBL_MIN : value;
}

/* The continued fraction; it converges fast for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1;
	double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
	double result = d;

	for (int m = 1; m < ROUNDS_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		result *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		result *= d * c;
		if (fabs(d * c - 1) < 1e-14) {
			break;
		}
	}
	return result;
}

double significance_beta(double a, double b, double x)
{
	if (x <= 0 || x >= 1) {
		return x <= 0 ? 0 : 1;
	}
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2)) {
		return front * beta_fraction(a, b, x) / a;
	}
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double significance_student(double t, double freedom)
{
	if (isinf(freedom)) {
		return erfc(fabs(t) / sqrt(2));
	}
	return significance_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double significance_student_limit(double p, double freedom)
{
	double low = 0;
	double high = SCORE_MAX;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (significance_student(middle, freedom) > p) {
			low = middle;
		} else {
			high = middle;
		}
	}
	return (low + high) / 2;
}

/*
 * The degrees of freedom of a sum of two estimated variances, by Satterthwaite; INFINITY for a part
 * that was not estimated.
 */
static double freedom_of_sum(double first, double first_freedom, double second, double freedom)
{
	double sum = first + second;

	return sum * sum / (first * first / first_freedom + second * second / freedom);
}

/* ---- Parts of a run ---- */

/* With fewer parts, nothing is learned from them: values are taken as independent. */
#define PARTS_MIN 8

/*
 * A run is expected to have this many bursts or phases. What lasts longer counts as a drift of the
 * whole run, which would hide any difference.
 */
#define PHASES_MIN 8

/*
 * Returns the inflation of parts of a run, `factor` by their variance, multiplied by what it lacks
 * if neighbouring parts resemble each other: the variance of the sum of a series whose parts depend
 * on the one before. The correlation of a short series is found too small in proportion. It is also
 * found smaller by 1/n, which is not added: it outweighs that only correlations above 0 count, of
 * which independent parts have some by chance. The freedom is that of as many independent parts as
 * these are worth.
 */
static struct inflation widen(double factor, const double *deviations, size_t count)
{
	double n = (double)count;
	double squares = deviations[0] * deviations[0];
	double products = 0;

	for (size_t i = 1; i < count; i++) {
		squares += deviations[i] * deviations[i];
		products += deviations[i] * deviations[i - 1];
	}
	double found = squares > 0 ? products / squares : 0;
	double r = fmax(0, fmin(exp(-PHASES_MIN / n), found * (1 + 4 / n)));
	double lack = (1 + r) / (1 - r);

	return (struct inflation){ .factor = factor * lack, .freedom = n / lack - 1 };
}

/* ---- Ranks ---- */

/*
 * For each cell, the share of a side's values that are smaller than those in the cell, equal ones
 * by half: the place of a value among them.
 */
struct places {
	double among[DISTRIBUTION_CELLS];
};

static void place(struct places *p, const struct distribution *among)
{
	double below = 0;

	for (size_t i = 0; i < DISTRIBUTION_CELLS; i++) {
		double n = (double)distribution_cell(among, i);

		p->among[i] = (below + n / 2) / (double)among->count;
		below += n;
	}
}

/* Returns the sum of the places' distances from `from`, or of their squares. */
static double sum_places(
	const struct places *p, const struct distribution *d, double from, bool is_squared)
{
	double sum = 0;

	for (size_t i = 0; i < DISTRIBUTION_CELLS; i++) {
		uint64_t n = distribution_cell(d, i);
		double distance = p->among[i] - from;

		if (n > 0) {
			sum += (double)n * distance * (is_squared ? distance : 1);
		}
	}
	return sum;
}

double significance_larger(const struct distribution *a, const struct distribution *b)
{
	struct places *p = xcalloc(1, sizeof(*p));

	place(p, a);
	double larger = sum_places(p, b, 0, false) / (double)b->count;

	free(p);
	return larger;
}

/* The mean place of a side's values among others, as batches show it. */
struct mean_place {
	struct inflation inflation;
	double variance; /* of the mean, if the values were independent */
};

static struct mean_place place_batches(
	const struct batches *b, const struct distribution *all, const struct distribution *among)
{
	struct places *p = xcalloc(1, sizeof(*p));
	struct mean_place result = { .inflation = { 1, INFINITY } };
	double n = (double)all->count;
	double sums[BATCHES_MAX];
	double between = 0;

	place(p, among);
	double mean = sum_places(p, all, 0, false) / n;

	result.variance = n > 1 ? sum_places(p, all, mean, true) / (n - 1) / n : 0;
	for (size_t i = 0; i < b->count; i++) {
		sums[i] = sum_places(p, &b->items[i], mean, false);
		between += sums[i] * sums[i];
	}
	free(p);
	if (b->count < PARTS_MIN || result.variance <= 0) {
		return result;
	}
	between *= (double)b->count / (double)(b->count - 1) / n / n;
	result.inflation = widen(fmax(between / result.variance, 1), sums, b->count);
	return result;
}

/* The variance of significance_larger() if both sides are the same, and all values independent. */
static double variance_of_ranks(const struct distribution *a, const struct distribution *b)
{
	double n = (double)a->count;
	double m = (double)b->count;
	double ties = 0;

	for (size_t i = 0; i < DISTRIBUTION_CELLS; i++) {
		double t = (double)(distribution_cell(a, i) + distribution_cell(b, i));

		ties += t * t * t - t;
	}
	return (n + m + 1 - ties / ((n + m) * (n + m - 1))) / (12 * n * m);
}

/* Student's degrees of freedom of a variance of which only two parts were estimated. */
static double freedom_of(double variance, const struct mean_place sides[2])
{
	double sum = 0;

	for (int i = 0; i < 2; i++) {
		double part = sides[i].inflation.factor > 1
				      ? sides[i].inflation.factor * sides[i].variance
				      : 0;

		sum += part * part / sides[i].inflation.freedom;
	}
	return variance * variance / sum;
}

/*
 * Adds to a variance of independent values what batches vary more. The variance of a side's mean
 * place is half that of its own values, half that of equal sides: alone, the former is too small if
 * sides differ by chance, and the latter too large if they do differ.
 */
static double inflate(double independent, struct mean_place sides[2], double n, double m)
{
	const double shares[2] = { m / (n + m), n / (n + m) };
	double variance = independent;

	for (int i = 0; i < 2; i++) {
		sides[i].variance = (sides[i].variance + independent * shares[i]) / 2;
		variance += (sides[i].inflation.factor - 1) * sides[i].variance;
	}
	return variance;
}

static struct rank_test test_ranks(
	const struct batches *a, const struct batches *b, const struct distribution all[2])
{
	double n = (double)all[0].count;
	double m = (double)all[1].count;
	struct rank_test t = { .p = 1, .larger = significance_larger(&all[0], &all[1]) };
	double away = fabs(t.larger - 0.5) - 0.5 / n / m;
	struct distribution both = { 0 };

	distribution_merge(&both, &all[0]);
	distribution_merge(&both, &all[1]);
	struct mean_place sides[2] = {
		place_batches(a, &all[0], &both),
		place_batches(b, &all[1], &both),
	};
	double variance = inflate(variance_of_ranks(&all[0], &all[1]), sides, n, m);

	distribution_fini(&both);
	t.inflation[0] = sides[0].inflation.factor;
	t.inflation[1] = sides[1].inflation.factor;
	t.freedom = freedom_of(variance, sides);
	if (variance > 0 && away > 0) {
		t.p = significance_student(away / sqrt(variance), t.freedom);
	}
	return t;
}

struct rank_test significance_ranks(const struct batches *a, const struct batches *b)
{
	struct distribution all[2] = { 0 };
	struct rank_test t = { .p = 1, .larger = 0.5, .inflation = { 1, 1 }, .freedom = INFINITY };

	batches_sum(a, &all[0]);
	batches_sum(b, &all[1]);
	if (all[0].count > 0 && all[1].count > 0) {
		t = test_ranks(a, b, all);
	}
	distribution_fini(&all[0]);
	distribution_fini(&all[1]);
	return t;
}

struct inflation significance_inflation(const struct batches *b)
{
	struct distribution all = { 0 };
	struct inflation inflation = { 1, INFINITY };

	batches_sum(b, &all);
	if (all.count > 0) {
		inflation = place_batches(b, &all, &all).inflation;
	}
	distribution_fini(&all);
	return inflation;
}

/* ---- Rates ---- */

struct inflation significance_dispersion(const uint64_t *counts, size_t slices, double last)
{
	double length = (double)slices - 1 + last;
	double deviations[SLICES_MAX];
	double total = 0;
	double sum = 0;
	size_t parts = slices - 1; /* the last slice, which may be short, is joined with another */

	for (size_t i = 0; i < slices; i++) {
		total += (double)counts[i];
	}
	if (slices <= PARTS_MIN || total <= 0) {
		return (struct inflation){ 1, INFINITY };
	}
	for (size_t i = 0; i < parts; i++) {
		bool is_last = i + 1 == parts;
		double count = (double)(counts[i] + (is_last ? counts[i + 1] : 0));
		double expected = total * (is_last ? 1 + last : 1) / length;

		deviations[i] = (count - expected) / sqrt(expected);
		sum += deviations[i] * deviations[i];
	}
	return widen(fmax(1, sum / (double)(parts - 1)), deviations, parts);
}

/* The number of independent events that vary as much; without events, of the side's variance. */
static double effective(const struct event_rate *r)
{
	return (r->count > 0 ? (double)r->count : 0.5) / r->dispersion.factor;
}

double significance_rates_variance(
	const struct event_rate *a, const struct event_rate *b, double *freedom)
{
	double first = 1 / effective(a);
	double second = 1 / effective(b);

	*freedom = freedom_of_sum(first, a->dispersion.freedom, second, b->dispersion.freedom);
	return first + second;
}

/* The probability of at least `k` of `k + other` events that are each of this side by `share`. */
static double upper_tail(double k, double other, double share)
{
	return k > 0 ? significance_beta(k, other + 1, share) : 1;
}

double significance_rates(const struct event_rate *a, const struct event_rate *b)
{
	double first = (double)a->count / a->dispersion.factor;
	double second = (double)b->count / b->dispersion.factor;
	double exposure = a->seconds / a->dispersion.factor;
	double share = exposure / (exposure + b->seconds / b->dispersion.factor);
	double freedom;

	if (first + second <= 0) {
		return 1;
	}
	double p = 2 * fmin(upper_tail(first, second, share), upper_tail(second, first, 1 - share));

	significance_rates_variance(a, b, &freedom);
	if (p >= 1 || isinf(freedom)) {
		return fmin(p, 1);
	}
	return significance_student(significance_student_limit(p, INFINITY), freedom);
}

/* ---- Several runs ---- */

static double mean_of(const struct run_values *v)
{
	double sum = 0;

	for (size_t i = 0; i < v->count; i++) {
		sum += v->logs[i];
	}
	return sum / (double)v->count;
}

static double squares_of(const struct run_values *v)
{
	double mean = mean_of(v);
	double sum = 0;

	for (size_t i = 0; i < v->count; i++) {
		sum += (v->logs[i] - mean) * (v->logs[i] - mean);
	}
	return sum;
}

struct runs_test significance_runs(const struct run_values *a, const struct run_values *b)
{
	struct runs_test t = {
		.p = NAN,
		.change = mean_of(b) - mean_of(a),
		.freedom = (double)(a->count + b->count) - 2,
	};

	if (t.freedom < 1) {
		return t;
	}
	double each = (squares_of(a) + squares_of(b)) / t.freedom;
	double between = each * (1 / (double)a->count + 1 / (double)b->count);

	t.error = sqrt(fmax(between, a->variance + b->variance));
	t.p = t.error > 0 ? significance_student(t.change / t.error, t.freedom) : NAN;
	return t;
}

/* ---- All rows ---- */

static int compare(const void *a, const void *b, void *p)
{
	double x = ((const double *)p)[*(const size_t *)a];
	double y = ((const double *)p)[*(const size_t *)b];

	return (x > y) - (x < y);
}

void significance_holm(double *p, size_t count)
{
	size_t *order = xcalloc(count + 1, sizeof(*order));
	size_t tests = 0;
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(p[i])) {
			order[tests++] = i;
		}
	}
	if (tests > 0) {
		qsort_r(order, tests, sizeof(*order), compare, p);
	}
	for (size_t i = 0; i < tests; i++) {
		most = fmax(most, fmin(1, p[order[i]] * (double)(tests - i)));
		p[order[i]] = most;
	}
	free(order);
}
