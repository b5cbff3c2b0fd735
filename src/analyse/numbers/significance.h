/* SPDX-License-Identifier: MIT */
/*
 * Tests whether two runs differ by more than chance. Each returns a p-value: the probability of a
 * difference at least as large between two runs of the same behaviour. Values and events near in
 * time may resemble each other, in bursts or phases, so each test widens its noise by what parts of
 * the run show. waymark-diff(1) states what is assumed. Pure functions.
 */
#ifndef ANALYSE_SIGNIFICANCE_H
#define ANALYSE_SIGNIFICANCE_H

#include <stddef.h>
#include <stdint.h>

#include "analyse/numbers/batches.h"
#include "analyse/numbers/slices.h"

/* The regularized incomplete beta function I_x(a, b); a and b above 0. */
double significance_beta(double a, double b, double x);

/* The two-sided p-value of Student's t; `freedom` may be INFINITY: the normal distribution. */
double significance_student(double t, double freedom);

/* The t above 0 with this two-sided p-value, at most 40. */
double significance_student_limit(double p, double freedom);

/* The probability that a value of b is larger than one of a, equal ones by half; both have values.
 */
double significance_larger(const struct distribution *a, const struct distribution *b);

struct rank_test {
	double p; /* 1 if a side has no value */
	double larger; /* significance_larger(); one half without values */
	double inflation[2]; /* factors for each side */
	double freedom; /* degrees of freedom; may be INFINITY */
};

/*
 * The test of Mann and Whitney, in the normal approximation with ties, of values in cells of
 * distributions. To the variance is added what values of a side vary more because they resemble
 * each other: by the mean ranks of its batches.
 */
struct rank_test significance_ranks(const struct batches *a, const struct batches *b);

/* How much larger a variance is than that of independent values, at least 1. */
struct inflation {
	double factor;
	double freedom; /* degrees of freedom of the factor; INFINITY: it was not estimated */
};

/*
 * Returns the inflation of the number of events, from the counts of at most SLICES_MAX slices. All
 * slices but the last are equally long; `last` is its length relative to the others.
 */
struct inflation significance_dispersion(const uint64_t *counts, size_t slices, double last);

/* The events of one run. */
struct event_rate {
	uint64_t count;
	double seconds; /* above 0 */
	struct inflation dispersion;
};

/*
 * The exact test of two Poisson rates, binomial given their sum, of counts that are divided by
 * their dispersion.
 */
double significance_rates(const struct event_rate *a, const struct event_rate *b);

/* The variance of the logarithm of b's rate divided by a's, and its degrees of freedom. */
double significance_rates_variance(
	const struct event_rate *a, const struct event_rate *b, double *freedom);

/* The inflation of a side's values by their places among themselves. */
struct inflation significance_inflation(const struct batches *b);

/* The logarithms of one number of each run of a side. */
struct run_values {
	const double *logs;
	size_t count; /* at least 1 */
	double variance; /* of their mean, as far as the values within each run show */
};

struct runs_test {
	double p; /* NAN if there are only two runs */
	double change; /* difference of the means of the logarithms */
	double error; /* its standard error */
	double freedom;
};

/*
 * Student's t-test with equal variances. The variance of the difference is at least that which is
 * known from within the runs.
 */
struct runs_test significance_runs(const struct run_values *a, const struct run_values *b);

/*
 * Replaces p-values by Holm's adjusted ones: those below a level are all true differences, with a
 * probability of at least one minus that level. NAN stays, and does not count.
 */
void significance_holm(double *p, size_t count);

#endif
