/* SPDX-License-Identifier: MIT */
/*
 * The noise within a run, as the tests of waymark diff estimate it: how often two equal runs
 * differ, and how often slower ones are found, for values that depend on those before them in known
 * ways. An argument multiplies the number of comparisons. docs/why/023-noise-within-a-run.md has a
 * table.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyse/numbers/significance.h"
#include "base/compiler.h"
#include "random.h"

#define SPREAD 0.5 /* standard deviation of the logarithm of a value */
#define RATE_STEPS 1000
#define RATE_SLICES 25
#define RATE_EACH 4.0 /* events of a step */

static unsigned int times = 1;

/* ---- Behaviours: the next of a run's values, of about mean 0 and variance 1 ---- */

struct run {
	double level; /* drawn like a value */
	double left; /* values until a new phase */
	size_t next; /* number of the value */
	size_t count;
};

static double independent(struct run *r)
{
	(void)r;
	return normal();
}

static double follow(struct run *r, double share)
{
	r->level = share * r->level + sqrt(1 - share * share) * normal();
	return r->level;
}

static double like_half(struct run *r)
{
	return follow(r, 0.5);
}

static double like_9_of_10(struct run *r)
{
	return follow(r, 0.9);
}

static double like_99_of_100(struct run *r)
{
	return follow(r, 0.99);
}

/* Phases of a twentieth of the run, whose levels make one half of the variance. */
static double in_phase(struct run *r, double length)
{
	if (r->left-- <= 0) {
		r->level = normal();
		r->left += length * (double)r->count / 20;
	}
	return sqrt(0.5) * (r->level + normal());
}

static double equal_phases(struct run *r)
{
	r->left = r->next == 0 ? uniform() * (double)r->count / 20 : r->left;
	return in_phase(r, 1);
}

static double random_phases(struct run *r)
{
	return in_phase(r, -log(uniform()));
}

/* As a machine that warms up, in each run alike. */
static double drift(struct run *r)
{
	return normal() + 2 * (double)r->next / (double)r->count;
}

static const struct behaviour {
	const char *name;
	double (*next)(struct run *r);
	size_t least; /* number of values of some ten phases; fewer cannot say how they vary */
	unsigned int
		slower; /* least share of 1000 values, three times as large, that are found, in % */
} behaviours[] = {
	{ "independent", independent, 0, 99 },
	{ "like 0.5 of the one before", like_half, 0, 99 },
	{ "like 0.9", like_9_of_10, 100, 97 },
	{ "like 0.99", like_99_of_100, 1000, 0 },
	{ "phases of a 20th", equal_phases, 0, 95 },
	{ "phases of about a 20th", random_phases, 0, 85 },
	{ "drift", drift, 0, 95 },
};

/* ---- Comparisons ---- */

static void fill(struct batches *b, const struct behaviour *how, size_t count, double factor)
{
	struct run r = { .level = normal(), .count = count };

	for (; r.next < count; r.next++) {
		batches_add(b, (uint64_t)(100000 * factor * exp(SPREAD * how->next(&r))));
	}
}

static double compare_values(const struct behaviour *how, size_t count, double factor)
{
	struct batches a = { 0 };
	struct batches b = { 0 };

	fill(&a, how, count, 1);
	fill(&b, how, count, factor);
	double p = significance_ranks(&a, &b).p;

	batches_fini(&a);
	batches_fini(&b);
	return p;
}

static struct event_rate count_events(const struct behaviour *how, double factor)
{
	struct run r = { .level = normal(), .count = RATE_STEPS };
	uint64_t counts[RATE_SLICES] = { 0 };
	struct event_rate rate = { .seconds = 1 };

	for (; r.next < RATE_STEPS; r.next++) {
		double left = -log(uniform());

		for (double mean = RATE_EACH * factor * exp(SPREAD * how->next(&r)); left < mean;
			left -= log(uniform())) {
			counts[r.next * RATE_SLICES / RATE_STEPS]++;
			rate.count++;
		}
	}
	rate.dispersion = significance_dispersion(counts, RATE_SLICES, 1);
	return rate;
}

static double compare_rates(const struct behaviour *how, size_t count, double factor)
{
	const struct event_rate a = count_events(how, 1);
	const struct event_rate b = count_events(how, factor);

	(void)count;
	return significance_rates(&a, &b);
}

struct found {
	unsigned int at_5; /* of the comparisons, in 1000: p below 0.05 */
	unsigned int at_1;
};

static struct found repeat(double (*compare)(const struct behaviour *, size_t, double),
	const struct behaviour *how, size_t count, double factor)
{
	unsigned int rounds = (count > 10000 ? 20 : 300) * times;
	struct found found = { 0 };

	for (unsigned int i = 0; i < rounds; i++) {
		double p = compare(how, count, factor);

		found.at_5 += p < 0.05;
		found.at_1 += p < 0.01;
	}
	found.at_5 = found.at_5 * 1000 / rounds;
	found.at_1 = found.at_1 * 1000 / rounds;
	return found;
}

/* The largest share to accept, in 1000: four standard deviations above the level. */
static double most_of(double level, size_t count)
{
	return 1000 * (level + 4 * sqrt(level / ((count > 10000 ? 20 : 300) * times)));
}

static void check(double (*compare)(const struct behaviour *, size_t, double), size_t count)
{
	int wrong = 0;

	printf("%28s  equal: 5 %%   1 %%  slower: 1.3x    3x\n", "");
	for (size_t i = 0; i < ARRAY_SIZE(behaviours); i++) {
		const struct behaviour *how = &behaviours[i];
		struct found equal = repeat(compare, how, count, 1);
		struct found little = repeat(compare, how, count, 1.3);
		struct found much = repeat(compare, how, count, 3);

		printf("%28s %8.1f %8.1f %8.1f %8.1f\n", how->name, equal.at_5 / 10.0,
			equal.at_1 / 10.0, little.at_1 / 10.0, much.at_1 / 10.0);
		wrong += equal.at_5 > most_of(0.05, count) && count >= how->least;
		wrong += equal.at_1 > most_of(0.01, count) && count >= how->least;
		wrong += much.at_1 < 10 * how->slower && count >= 1000;
	}
	assert_int_equal(wrong, 0);
}

static void of_100_values(void **unused)
{
	(void)unused;
	check(compare_values, 100);
}

static void of_1000_values(void **unused)
{
	(void)unused;
	check(compare_values, 1000);
}

/* As few batches as there may be. */
static void of_1100_values(void **unused)
{
	(void)unused;
	check(compare_values, 1100);
}

static void of_100000_values(void **unused)
{
	(void)unused;
	check(compare_values, 100000);
}

static void of_rates(void **unused)
{
	(void)unused;
	check(compare_rates, RATE_STEPS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_100_values),
		cmocka_unit_test(of_1000_values),
		cmocka_unit_test(of_1100_values),
		cmocka_unit_test(of_100000_values),
		cmocka_unit_test(of_rates),
	};

	times = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
